//! SQLite databases; most of it needs the feature `sqlite`.

mod common;

use common::{Folder, read};

#[test]
#[cfg(not(feature = "sqlite"))]
fn a_database_is_named_as_what_it_is() {
    let folder = Folder::new();
    folder.put("t.db", b"SQLite format 3\0 and so on");
    let error = read(&folder.source("t.db")).unwrap_err();
    assert!(error.to_string().contains("this is a SQLite database"), "{error}");
    assert!(error.hint().contains("--features sqlite") && error.hint().contains("-csv"), "{}", error.hint());
}

#[cfg(feature = "sqlite")]
mod with_sqlite {
    use super::common::{cells, names};
    use super::*;
    use proptest::prelude::*;
    use rusqlite::Connection;
    use shoal_io::{Query, Source, read_header, sha256_hex};

    fn database(statements: &str) -> (Folder, Source) {
        let folder = Folder::new();
        let connection = Connection::open(folder.path().join("t.db")).unwrap();
        connection.execute_batch(statements).unwrap();
        connection.close().unwrap();
        let source = folder.source("t.db");
        (folder, source)
    }

    const PEOPLE: &str = "create table people (name text, age integer, paid real);
        insert into people values ('Änne', 34, 1.0), (null, null, 0.25);";

    #[test]
    fn the_only_table_is_read_and_nothing_is_written() {
        let (folder, source) = database(&format!("pragma journal_mode = wal; {PEOPLE}"));
        let bytes = std::fs::read(folder.path().join("t.db")).unwrap();
        let found = read(&source).unwrap();
        assert_eq!(found.sha256, sha256_hex(&bytes));
        assert_eq!(names(&found.table), ["name", "age", "paid"]);
        assert_eq!(
            cells(&found.table),
            [[Some("Änne"), Some("34"), Some("1.0")], [None, None, Some("0.25")]]
        );
        assert_eq!(read_header(&source).unwrap().len(), 3);
        assert_eq!(std::fs::read(folder.path().join("t.db")).unwrap(), bytes);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn tables_and_queries_are_chosen() {
        let (_folder, mut source) = database(&format!("{PEOPLE} create table \"odd \"\"one\" (x);"));
        let error = read(&source).unwrap_err().to_string();
        assert!(error.ends_with("the database has several tables: odd \"one, people"), "{error}");
        source.query = Some(Query::Table("odd \"one".to_owned()));
        assert_eq!(read(&source).unwrap().table.rows, 0);
        source.query = Some(Query::Table("nobody".to_owned()));
        assert!(read(&source).unwrap_err().to_string().contains("there is no table `nobody`"));
        source.query =
            Some(Query::Select("select age * 2 as twice from people where name is not null".to_owned()));
        assert_eq!(cells(&read(&source).unwrap().table), [[Some("68")]]);
        source.query = Some(Query::Select("select agee from people".to_owned()));
        let error = read(&source).unwrap_err().to_string();
        assert!(error.contains("does not accept the query: no such column: agee"), "{error}");
        assert!(error.ends_with("; there are: odd \"one, people"), "{error}");
        for wrong in
            ["delete from people", "select nothing from people", "", "select x'00' as b", "attach 'x' as y"]
        {
            source.query = Some(Query::Select(wrong.to_owned()));
            let error = read(&source).unwrap_err();
            assert!(!error.hint().is_empty(), "{wrong}: {error}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn damaged_databases_are_a_table_or_an_error(
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        ) {
            let (folder, source) = database(PEOPLE);
            let mut bytes = std::fs::read(folder.path().join("t.db")).unwrap();
            for (at, byte) in changes {
                let place = at.index(bytes.len());
                bytes[place] = byte;
            }
            folder.put("t.db", bytes);
            let _ = read(&source);
        }
    }
}
