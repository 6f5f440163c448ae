//! Password files, as libpq reads them: `host:port:database:user:password` a line, `*` for any.

use std::path::Path;

use super::settings::{Password, SOCKETS, Settings};

/// The password of the first line that fits. The error says why a file that is there is not used.
pub(super) fn find(file: &Path, settings: &Settings) -> Result<Option<Password>, String> {
    let Ok(found) = std::fs::metadata(file) else { return Ok(None) };
    if !found.is_file() {
        return Err(format!("the password file {} is not a file, so it was not used", file.display()));
    }
    if others_can_read(&found) {
        let file = file.display();
        return Err(format!(
            "the password file {file} can be read by others, so it was not used (chmod 600 {file})"
        ));
    }
    let Ok(text) = std::fs::read_to_string(file) else {
        return Err(format!("the password file {} cannot be read", file.display()));
    };
    // Lines call the usual socket "localhost".
    let host = if settings.host == SOCKETS { "localhost" } else { settings.host.as_str() };
    let port = settings.port.to_string();
    let wanted = [host, &port, &settings.database, &settings.user];
    let fits = |fields: &[String]| {
        fields.len() == 5 && fields.iter().zip(wanted).all(|(field, wanted)| field == "*" || field == wanted)
    };
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(fields);
    Ok(lines.into_iter().find(|fields| fits(fields)).and_then(|mut fields| fields.pop()).map(Password))
}

/// The fields of a line; `\:` and `\\` are characters of a field. A password ends with the line, whatever it holds.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let count = fields.len();
        let field = &mut fields[count - 1];
        match character {
            '\\' => field.extend(characters.next()),
            ':' if count < 5 => fields.push(String::new()),
            other => field.push(other),
        }
    }
    fields
}

#[cfg(unix)]
fn others_can_read(file: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.permissions().mode() & 0o077 != 0
}

#[cfg(not(unix))]
fn others_can_read(_file: &std::fs::Metadata) -> bool {
    false
}
