//! Whole debates: their money, their settings, and where `next` leads.

mod following;
mod money;
mod settings;
