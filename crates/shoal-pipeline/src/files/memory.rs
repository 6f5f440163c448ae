/// The most memory that the process has held, as the system counts it.
pub(super) fn peak_memory() -> Option<u64> {
    kibibytes_of("/proc/self/status", "VmHWM:")
}

/// Lets the peak begin anew from what the process holds now. Whether that was possible.
pub(super) fn reset_peak() -> bool {
    // See proc_pid_clear_refs(5): 5 resets the high-water mark and nothing else.
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// What processes can still take without swapping, as the system estimates it.
pub(super) fn available_memory() -> Option<u64> {
    kibibytes_of("/proc/meminfo", "MemAvailable:")
}

fn kibibytes_of(file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
