use crate::error::PostgresError;

/// The name of a table, perhaps with its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableName {
    pub(super) schema: Option<String>,
    pub(super) name: String,
}

/// PostgreSQL cuts longer names off without an error, and what was verified would have another name than what was asked for.
pub(super) const LONGEST_NAME: usize = 63;

impl TableName {
    /// Reads `people`, `research.people` or `"Research"."people 2026"` as SQL does: what is not in quotes becomes lower case. `place` is the
    /// address that errors name.
    pub(crate) fn parse(place: &str, text: &str) -> Result<TableName, PostgresError> {
        let wrong = |why: &str| {
            let hint = "write  table = \"people\" , with its schema  \"research.people\" , or other characters in quotes:  table = '\"People 2026\"'";
            PostgresError::new(place, format!("the name of the table, {text:?}, {why}"), hint)
        };
        let mut parts = Vec::new();
        let mut rest = text.trim();
        loop {
            let (part, after) = match rest.strip_prefix('"') {
                Some(quoted) => quoted_part(quoted).ok_or_else(|| wrong("lacks a closing quote"))?,
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    (rest[..end].to_lowercase(), &rest[end..])
                }
            };
            let plain = rest.starts_with('"') || is_plain(&part);
            if part.is_empty() || !plain || part.contains('\0') {
                return Err(wrong("is not one that SQL accepts without quotes"));
            }
            if part.len() > LONGEST_NAME {
                return Err(wrong("is longer than the 63 bytes that PostgreSQL keeps of a name"));
            }
            parts.push(part);
            match after.strip_prefix('.') {
                Some(next) => rest = next,
                None if after.is_empty() => break,
                None => return Err(wrong("has something behind a closing quote")),
            }
        }
        match <[String; 2]>::try_from(parts) {
            Ok([schema, name]) => Ok(TableName { schema: Some(schema), name }),
            Err(mut parts) if parts.len() == 1 => Ok(TableName { schema: None, name: parts.remove(0) }),
            Err(_) => Err(wrong("has more parts than schema and table")),
        }
    }

    /// As a statement names it.
    pub(super) fn sql(&self) -> String {
        match &self.schema {
            Some(schema) => format!("{}.{}", quoted(schema), quoted(&self.name)),
            None => quoted(&self.name),
        }
    }
}

/// A name in quotes, in which every character is meant as it is.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// What is between quotes, and what follows; two quotes are one.
fn quoted_part(text: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(next) => {
                part.push('"');
                rest = next;
            }
            None => return Some((part, after)),
        }
    }
}

fn is_plain(part: &str) -> bool {
    let mut characters = part.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql(text: &str) -> Result<String, String> {
        TableName::parse("p", text).map(|name| name.sql()).map_err(|error| error.to_string())
    }

    #[test]
    fn names_are_read_as_sql_reads_them() {
        assert_eq!(sql("people").unwrap(), "\"people\"");
        assert_eq!(sql("Research.People_2").unwrap(), "\"research\".\"people_2\"");
        assert_eq!(sql("\"Research\".\"a.b \"\"c\"\"\"").unwrap(), "\"Research\".\"a.b \"\"c\"\"\"");
        for wrong in ["", "a b", "a;drop table b", "a.", ".a", "\"a", "\"a\"b", "a.b.c", "a\"b", "1a", "\"\""]
        {
            assert!(sql(wrong).is_err(), "{wrong}");
        }
        assert!(sql(&"a".repeat(63)).is_ok() && sql(&"a".repeat(64)).unwrap_err().contains("63 bytes"));
    }
}
