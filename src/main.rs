//! The `noctui` binary: hands over to `noctui::cli`.

fn main() -> std::process::ExitCode {
    noctui::cli::run()
}
