use super::fail;
use crate::policy::{Policy, PolicyError, Shape, is_postgres};

/// What a database must be asked for, and where a release goes in it. A `#table` behind an address names a table, too.
pub(super) fn check(policy: &Policy) -> Result<(), PolicyError> {
    let (data, output) = (&policy.data, &policy.output);
    if policy.data.shape == Shape::Stream {
        return Ok(());
    }
    let names_table = |address: &str| address.contains('#');
    if is_postgres(&data.source)
        && names_table(&data.source)
        && (data.query.is_some() || data.table.is_some())
    {
        let key = if data.query.is_some() { "data.query" } else { "data.table" };
        return fail(key, "the address names a table already", "keep one of them");
    }
    let asked = data.query.is_some() || data.table.is_some() || names_table(&data.source);
    if is_postgres(&data.source) && !asked {
        let hint = "add  query = \"select … from …\" , or  table = \"people\"";
        return fail("data.source", "nothing is asked of the database", hint);
    }
    let Some(path) = output.path.as_deref() else { return Ok(()) };
    match (is_postgres(path), &output.table) {
        (true, None) if !names_table(path) => {
            fail("output.path", "no table of the database is named", "add  table = \"people_k10\"")
        }
        (false, Some(_)) => {
            let hint = "remove it, or publish into a database:  path = \"postgres://host/database\"";
            fail("output.table", "a file has no tables", hint)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::PolicyDocument;

    fn parse(data: &str, output: &str) -> Result<(), String> {
        let text = format!(
            "version = 1\nprivacy.k = 5\n[data]\nshape = \"table\"\n{data}\n[columns]\nage = {{ role = \"quasi-identifier\" }}\n[output]\n{output}"
        );
        PolicyDocument::parse(&text, &[]).map(drop).map_err(|error| error.to_string())
    }

    #[test]
    fn a_database_is_asked_for_something_and_a_release_in_it_has_a_name() {
        let (file, table) = ("source = \"a.csv\"", "source = \"postgres://h/d\"\ntable = \"t\"");
        assert_eq!(parse(table, "path = \"b.csv\""), Ok(()));
        assert_eq!(parse(file, "path = \"postgresql://h/d\"\ntable = \"t\""), Ok(()));
        assert_eq!(parse("source = \"postgres://h/d#t\"", "path = \"postgres://h/d#t2\""), Ok(()));
        // The path may come from the command line.
        assert_eq!(parse(file, "table = \"t\""), Ok(()));
        let asked = parse("source = \"postgres://h/d\"", "path = \"b.csv\"").unwrap_err();
        assert!(asked.contains("nothing is asked"), "{asked}");
        let both =
            parse("source = \"postgres://h/d#t\"\nquery = \"select 1\"", "path = \"b.csv\"").unwrap_err();
        assert!(both.contains("names a table already"), "{both}");
        let nameless = parse(file, "path = \"postgres://h/d\"").unwrap_err();
        assert!(nameless.contains("no table of the database is named"), "{nameless}");
        let in_file = parse(file, "path = \"b.csv\"\ntable = \"t\"").unwrap_err();
        assert!(in_file.contains("a file has no tables"), "{in_file}");
    }
}
