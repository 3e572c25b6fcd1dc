//! Whole debates: their money, their settings, and where `next` leads.

mod figures;
mod following;
mod further;
mod german;
mod model;
mod money;
mod settings;
