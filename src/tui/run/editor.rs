//! The external editor: a private file, the user's `$EDITOR`, the text back.

use std::io::Write;

/// Edits `text` in `$VISUAL` or `$EDITOR` and returns what was saved. The terminal must have been given back.
pub(super) async fn edit(text: &str) -> Result<String, String> {
    let command = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|v| !v.trim().is_empty()));
    let command = command.ok_or("no editor: set $EDITOR, or write here")?;
    let mut words = command.split_whitespace();
    let program = words.next().unwrap_or("vi").to_owned();
    let path = std::env::temp_dir().join(format!("noctui-{}.txt", std::process::id()));
    write_private(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    let status = tokio::process::Command::new(&program)
        .args(words)
        .arg(&path)
        .status()
        .await;
    let edited = std::fs::read_to_string(&path);
    // What could not be removed is a file only its owner can read.
    let _ = std::fs::remove_file(&path);
    match status {
        Ok(status) if status.success() => edited.map_err(|e| format!("{}: {e}", path.display())),
        Ok(status) => Err(format!("{program} ended with {status}: the text is as it was")),
        Err(error) => Err(format!("{program}: {error} - check $EDITOR")),
    }
}

fn write_private(path: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    // A leftover of a crashed run with our process id; it must not be followed or kept.
    let _ = std::fs::remove_file(path);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}
