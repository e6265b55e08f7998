//! The RAII guard around the real terminal.

use std::io::{self, BufWriter, Stdout, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::QueueableCommand;
use crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate, SetTitle, disable_raw_mode,
    enable_raw_mode,
};
use ratatui::backend::CrosstermBackend;
use ratatui::{Frame, Terminal};

use super::modes::{Modes, enter_modes, keep_first, leave_modes};

/// Whether the terminal is ours at the moment. Process-wide because the terminal is.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// One frame at 200x60 in true colour is about 60 kB; it should leave in one write.
const FRAME_BYTES: usize = 128 * 1024;

/// Gives the terminal back, whoever calls and however often: drop, panic hook and signal task all come
/// here. Does nothing when the terminal is not ours.
///
/// # Errors
/// The first step that failed, after all were tried.
pub fn restore_all() -> io::Result<()> {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return Ok(());
    }
    let mut first = leave_modes(&mut io::stdout());
    keep_first(&mut first, disable_raw_mode());
    first
}

/// The terminal while it is ours. Dropping it restores.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<BufWriter<Stdout>>>,
    modes: Modes,
}

impl Screen {
    /// Enters raw mode, the alternate screen and the modes. When a step fails what was done is undone.
    ///
    /// # Errors
    /// The step that failed; typically standard output is no terminal.
    pub fn enter(modes: Modes) -> io::Result<Self> {
        let out = BufWriter::with_capacity(FRAME_BYTES, io::stdout());
        let mut screen = Self {
            terminal: Terminal::new(CrosstermBackend::new(out))?,
            modes,
        };
        screen.resume()?;
        Ok(screen)
    }

    /// Draws one frame inside a synchronised update. After a signal has restored the terminal nothing is
    /// drawn any more.
    ///
    /// # Errors
    /// A failed write to the terminal.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if !ENTERED.load(Ordering::SeqCst) {
            return Ok(());
        }
        self.terminal.backend_mut().queue(BeginSynchronizedUpdate)?;
        self.terminal.draw(view)?;
        self.terminal.backend_mut().queue(EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())
    }

    /// Forgets what was drawn, so that the next frame repaints every cell.
    ///
    /// # Errors
    /// A failed write to the terminal.
    pub fn repaint(&mut self) -> io::Result<()> {
        // Not `Terminal::clear`: it asks the terminal where the cursor is, and some never answer.
        self.terminal.backend_mut().queue(Clear(ClearType::All))?;
        self.terminal.swap_buffers();
        Ok(())
    }

    /// Gives the terminal back for a while: suspend, external editor.
    ///
    /// # Errors
    /// See [`restore_all`].
    pub fn pause(&mut self) -> io::Result<()> {
        restore_all()
    }

    /// Takes the terminal (again).
    ///
    /// # Errors
    /// The step that failed; the terminal is then given back.
    pub fn resume(&mut self) -> io::Result<()> {
        ENTERED.store(true, Ordering::SeqCst);
        let entered = enable_raw_mode()
            .and_then(|()| enter_modes(self.terminal.backend_mut(), self.modes))
            .and_then(|()| self.repaint());
        if entered.is_err() {
            // The error that led here is the one worth reporting.
            let _ = restore_all();
        }
        entered
    }

    /// Takes or releases the mouse. Released, the terminal's own selection works.
    ///
    /// # Errors
    /// A failed write to the terminal.
    pub fn capture_mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.modes.mouse = mouse;
        let out = self.terminal.backend_mut();
        if mouse {
            out.queue(EnableMouseCapture)?;
        } else {
            out.queue(DisableMouseCapture)?;
        }
        Write::flush(out)
    }

    /// Sets the window title.
    ///
    /// # Errors
    /// A failed write to the terminal.
    pub fn set_title(&mut self, title: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.queue(SetTitle(title))?;
        Write::flush(out)
    }

    /// Sends raw bytes: BEL, OSC 9, OSC 52.
    ///
    /// # Errors
    /// A failed write to the terminal.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        out.write_all(bytes)?;
        Write::flush(out)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Nothing can be done about a failure here, and nobody is left to tell.
        let _ = restore_all();
    }
}
