//! A folder of its own for each test, and the command run in it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Twelve people.
pub(crate) const PEOPLE: &str = "\
name,age,sex,zip,illness
Ann,34,f,53715,flu
Bob,36,m,53715,flu
Cid,41,m,53703,cold
Dot,47,f,53703,flu
Eva,29,f,53706,cough
Fay,22,f,53706,cold
Gus,55,m,53711,flu
Hal,59,m,53711,cough
Ida,31,f,53711,cold
Jim,38,m,53715,flu
Kay,44,f,53703,cough
Leo,27,m,53706,cold
";

/// A policy for them.
pub(crate) const POLICY: &str = r#"version = 1

[data]
shape = "table"
source = "people.csv"

[columns.name]
role = "identifier"
[columns.age]
role = "quasi-identifier"
kind = "integer"
[columns.sex]
role = "quasi-identifier"
[columns.zip]
role = "quasi-identifier"
[columns.illness]
role = "sensitive"

[privacy]
k = 3

[output]
path = "out.csv"
"#;

/// The folder of a test: policy, data and outputs. It is deleted at the end of the test.
pub(crate) struct TestProject {
    folder: TempDir,
}

/// What a call has printed, and how it ended.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl TestProject {
    pub(crate) fn empty() -> TestProject {
        TestProject { folder: tempfile::tempdir().unwrap() }
    }

    /// With `people.csv` and `policy.toml`.
    pub(crate) fn with_people() -> TestProject {
        let project = TestProject::empty();
        project.write("people.csv", PEOPLE);
        project.write("policy.toml", POLICY);
        project
    }

    /// `shoal run policy.toml`, always with the same key: for tests that compare what is published.
    pub(crate) fn run_with_key(&self) -> CommandOutput {
        let digits: String =
            (0..32_u32).map(|at| format!("{:02x}", (at * at * 7 + at * 31 + 5) % 256)).collect();
        self.write("key", digits + "\n");
        fs::set_permissions(self.path("key"), fs::Permissions::from_mode(0o600)).unwrap();
        let policy = self.read("policy.toml");
        self.write("policy.toml", format!("{policy}\n[algorithm]\nkey-file = \"key\"\n"));
        self.shoal(&["run", "policy.toml"])
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Changes the policy; the old words must be there.
    pub(crate) fn edit_policy(&self, from: &str, to: &str) {
        let text = self.read("policy.toml");
        assert!(text.contains(from), "{from}");
        self.write("policy.toml", text.replacen(from, to, 1));
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A JSON file.
    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Everything below the folder, hidden or not: files with their bytes, folders with none.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        list(self.folder.path(), &mut all);
        all
    }

    /// Runs `shoal` in the folder.
    pub(crate) fn shoal(&self, args: &[&str]) -> CommandOutput {
        self.shoal_reading(args, "")
    }

    /// Runs `shoal` in the folder with this standard input.
    pub(crate) fn shoal_reading(&self, args: &[&str], stdin: &str) -> CommandOutput {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A command that does not read its input may be gone before all of it is written.
        let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
        let output = child.wait_with_output().unwrap();
        CommandOutput {
            code: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The command, ready to be started. Temporary files of the system's folder go where they are seen.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shoal"));
        command.args(args).current_dir(self.folder.path()).env("TMPDIR", self.folder.path());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

impl CommandOutput {
    /// Fails the test unless the call ended with this code.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> CommandOutput {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }

    /// The error on standard error, without the lines of progress before it.
    pub(crate) fn error(&self) -> String {
        let from = self.stderr.find("error").unwrap_or(0);
        self.stderr[from..].to_owned()
    }

    /// Standard output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{}", self.stdout))
    }

    /// Standard output without the line that shows the time.
    pub(crate) fn timeless(&self) -> String {
        let lines = self.stdout.lines().filter(|line| !line.starts_with("time "));
        lines.map(|line| format!("{line}\n")).collect()
    }
}

fn list(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            list(&path, all);
            all.insert(path, Vec::new());
        } else {
            let bytes = fs::read(&path).unwrap();
            all.insert(path, bytes);
        }
    }
}
