//! placeholder
/// placeholder
pub struct Policy;
/// placeholder
pub struct PolicyDocument;
/// placeholder
pub struct PolicyError;
