/// What to do about an error, by the code that PostgreSQL gives it.
pub(super) fn hint_of(code: &str) -> &'static str {
    match code {
        "28P01" | "28000" => {
            "check user and password: PGUSER, PGPASSWORD, a password file (~/.pgpass with mode 0600) or a service file; and whether pg_hba.conf of the server lets this user in"
        }
        "3D000" => "check the name of the database; psql -l lists them",
        "3F000" => "create the schema, or name another one:  table = \"schema.table\"",
        "42501" => {
            "ask for the right: grant select on … to read, grant create on schema … to publish; a table is replaced by its owner only"
        }
        "42P01" | "42703" | "42883" => {
            "correct the query, and try it in psql; names with capital letters need quotes: \"Name\""
        }
        "42601" => "write one statement that gives records:  query = \"select … from …\"  and try it in psql",
        "25006" => "the query may only read: nothing is ever written to the source",
        "42P07" => {
            "somebody has made a table of that name meanwhile; choose another name, or replace it with --force"
        }
        "42809" => "it is not a table; choose another name, or remove it yourself",
        "2BP01" => {
            "something, such as a view, depends on the table that is to be replaced; publish under another name, or remove what depends on it"
        }
        "55P03" => {
            "somebody uses the table that is to be replaced; run again when nobody does, or publish under another name"
        }
        "53100" => {
            "the server has no space left: make room, or publish into another tablespace (PGOPTIONS='-c default_tablespace=…')"
        }
        "53300" => "the server has no connection left; try again later, or ask for a higher max_connections",
        "57014" => {
            "the server has ended the statement, because somebody asked for it or because of statement_timeout (PGOPTIONS='-c statement_timeout=0')"
        }
        "25P03" => {
            "the server ended the transaction because it waited too long (PGOPTIONS='-c idle_in_transaction_session_timeout=0')"
        }
        "57P01" | "57P02" | "57P03" => "the server is shut down or starting; run again when it is up",
        "54011" => "a table of PostgreSQL has at most 1600 columns; publish fewer",
        "22P05" | "22021" => {
            "the database cannot hold these characters; publish into one with the encoding UTF8"
        }
        code if code.starts_with("08") => {
            "the connection was lost; check the network and the server, then run again"
        }
        code if code.starts_with("58") || code.starts_with("XX") => {
            "something is wrong on the server; its log says more"
        }
        _ => "the server's log may say more",
    }
}
