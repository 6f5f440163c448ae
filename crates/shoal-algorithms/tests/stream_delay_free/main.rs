//! Delay-free streams: slow twins, exact posteriors by walking through every choice, and the figures on Adult.

mod adult;
mod every_choice;
mod hardened;
mod hardened_posterior;
mod published_posterior;
mod snapshot;
mod twin;
