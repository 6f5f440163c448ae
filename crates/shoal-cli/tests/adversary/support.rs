//! What every attack needs: a folder, the command, and a reader of published files that is not Shoal's.
#![allow(dead_code, reason = "each attack uses a part")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use tempfile::TempDir;

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
    pub(crate) fn new() -> TestProject {
        TestProject { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A key file, always with the same key: for tests that compare published bytes.
    pub(crate) fn write_key(&self, name: &str) {
        let digits: String =
            (0..32_u32).map(|at| format!("{:02x}", (at * at * 7 + at * 31 + 5) % 256)).collect();
        self.write(name, digits + "\n");
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).unwrap();
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// `second.csv` is true of its data and keeps its promise, alone and together with the first release; what the attack on both says.
    pub(crate) fn second_release_holds(&self, data: &str) -> CommandOutput {
        let audit = "second.report/audit.json";
        self.shoal(&["verify", "second.csv", "--policy", audit, "--original", data]).ended_with(0);
        self.shoal(&["attack", data, "second.csv", "--policy", audit, "--previous", "first.report"])
            .ended_with(0)
    }

    /// Runs `shoal` in the folder.
    pub(crate) fn shoal(&self, args: &[&str]) -> CommandOutput {
        self.shoal_reading(args, "")
    }

    /// Runs `shoal` in the folder with this standard input.
    pub(crate) fn shoal_reading(&self, args: &[&str], stdin: &str) -> CommandOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_shoal"));
        command.args(args).current_dir(self.folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_owned();
        // Written from the side: a long input and a long output would wait for each other.
        let writer = std::thread::spawn(move || drop(pipe.write_all(stdin.as_bytes())));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        CommandOutput {
            code: output.status.code().expect("ended by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl CommandOutput {
    /// Fails the test unless the call ended with this code.
    #[track_caller]
    pub(crate) fn ended_with(self, code: i32) -> CommandOutput {
        assert_eq!(self.code, code, "{}\n{}", self.stdout, self.stderr);
        self
    }
}

/// A CSV file as an adversary reads it: the header, and the rows. Quotes are understood, nothing else is.
pub(crate) fn csv(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut rows = text.lines().map(cells);
    let header = rows.next().unwrap_or_default();
    (header, rows.collect())
}

fn cells(line: &str) -> Vec<String> {
    let (mut all, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut cell)),
            _ => cell.push(character),
        }
    }
    all.push(cell);
    all
}

/// A small generator of numbers, so that every attack is the same each time it is played.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }

    /// The same things in another order.
    pub(crate) fn shuffled<T>(&mut self, mut things: Vec<T>) -> Vec<T> {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
        things
    }
}
