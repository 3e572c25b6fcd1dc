//! The drawings of all documents: SVG made here, without script or anything from
//! elsewhere. Every figure in them stands in a table as well.

pub mod bars;
pub mod lines;
pub mod map;
