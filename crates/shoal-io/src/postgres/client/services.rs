//! Service files: names for servers, as libpq reads them.

use std::path::PathBuf;

use super::settings::Environment;
use crate::error::PostgresError;

/// Where Debian keeps the services of all users.
const SYSTEM_FOLDER: &str = "/etc/postgresql-common";

/// The parameters of a service, from the first file that has it.
pub(super) fn find(
    place: &str,
    service: &str,
    environment: &Environment<'_>,
) -> Result<Vec<(String, String)>, PostgresError> {
    let own = (environment.variable)("PGSERVICEFILE").map(PathBuf::from);
    let own = own.or_else(|| environment.home.as_ref().map(|home| home.join(".pg_service.conf")));
    let system = (environment.variable)("PGSYSCONFDIR").unwrap_or_else(|| SYSTEM_FOLDER.to_owned());
    let files: Vec<PathBuf> =
        own.into_iter().chain([PathBuf::from(system).join("pg_service.conf")]).collect();
    for file in &files {
        // A file that is not there has no services; the error below names where was looked.
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        if let Some(parameters) = section(&text, service) {
            return Ok(parameters);
        }
    }
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let why = format!("the service `{service}` is not defined in {}", names.join(" or "));
    let hint = "define it there (a line [name], then host=…, user=…, dbname=…), or name another file in PGSERVICEFILE";
    Err(PostgresError::new(place, why, hint))
}

fn section(text: &str, service: &str) -> Option<Vec<(String, String)>> {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) == Some(service))?;
    let of_service = lines.take_while(|line| !line.starts_with('['));
    let parameters = of_service.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    Some(parameters.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect())
}
