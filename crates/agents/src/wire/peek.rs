//! Looks at a few members of a JSON text without building a tree of it. All of the text is
//! read by the same rules as a tree, so that what is refused here is what a tree refuses,
//! or what is not as expected: then the caller builds the tree.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

#[cfg(test)]
#[path = "peek_tests.rs"]
mod tests;

/// Returns the members of an object; `None` where the text is no JSON or none of this form.
pub fn peek<'d, T: Members<'d>>(text: &'d str) -> Option<T> {
    serde_json::from_str::<Peek<T>>(text).ok().map(|Peek(members)| members)
}

/// The members of an object that are looked at. Of one that is written twice the last
/// counts, as in a tree.
pub trait Members<'d>: Default {
    /// Takes in the value of a member; false where its name says nothing.
    fn take<A: MapAccess<'d>>(&mut self, name: &str, value: &mut A) -> Result<bool, A::Error>;
}

/// An object of which only some members are looked at.
#[derive(Debug, Default)]
pub struct Peek<T>(pub T);

/// A value as far as it matters here.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub enum PeekedValue<'d> {
    /// Null, or not there at all.
    #[default]
    Null,
    /// A whole number that is not negative.
    Count(u64),
    Text(Cow<'d, str>),
    /// A list or an object.
    Nested,
    Other,
}

impl PeekedValue<'_> {
    pub fn as_str(&self) -> Option<&str> {
        if let PeekedValue::Text(text) = self { Some(text) } else { None }
    }
}

/// A value that is checked and not kept.
#[derive(Debug, Clone, Copy)]
struct Skipped;

/// The name of a member.
struct MemberName<'d>(Cow<'d, str>);

struct PeekVisitor<T>(PhantomData<T>);

impl<'d, T: Members<'d>> Deserialize<'d> for Peek<T> {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(PeekVisitor(PhantomData))
    }
}

impl<'d, T: Members<'d>> Visitor<'d> for PeekVisitor<T> {
    type Value = Peek<T>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("an object")
    }

    fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Peek<T>, A::Error> {
        let mut members = T::default();
        while let Some(MemberName(name)) = map.next_key()? {
            if !members.take(&name, &mut map)? {
                map.next_value::<Skipped>()?;
            }
        }
        Ok(Peek(members))
    }
}

impl<'d> Deserialize<'d> for MemberName<'d> {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl<'d> Visitor<'d> for NameVisitor {
            type Value = MemberName<'d>;

            fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
                to.write_str("a name")
            }

            fn visit_borrowed_str<E: Error>(self, name: &'d str) -> Result<MemberName<'d>, E> {
                Ok(MemberName(Cow::Borrowed(name)))
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<MemberName<'d>, E> {
                Ok(MemberName(Cow::Owned(name.to_owned())))
            }
        }
        from.deserialize_str(NameVisitor)
    }
}

impl<'d> Deserialize<'d> for PeekedValue<'d> {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'d> Visitor<'d> for ValueVisitor {
    type Value = PeekedValue<'d>;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Null)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Other)
    }

    fn visit_u64<E: Error>(self, count: u64) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Count(count))
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Other)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Other)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'d str) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PeekedValue<'d>, E> {
        Ok(PeekedValue::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'d>>(self, list: A) -> Result<PeekedValue<'d>, A::Error> {
        SkippingVisitor.visit_seq(list).map(|_| PeekedValue::Nested)
    }

    fn visit_map<A: MapAccess<'d>>(self, map: A) -> Result<PeekedValue<'d>, A::Error> {
        SkippingVisitor.visit_map(map).map(|_| PeekedValue::Nested)
    }
}

impl<'d> Deserialize<'d> for Skipped {
    // `IgnoredAny` would let pass what a tree refuses, such as half of a surrogate pair.
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(SkippingVisitor)
    }
}

struct SkippingVisitor;

impl<'d> Visitor<'d> for SkippingVisitor {
    type Value = Skipped;

    fn expecting(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str("a value")
    }

    fn visit_unit<E: Error>(self) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Skipped, E> {
        Ok(Skipped)
    }

    fn visit_seq<A: SeqAccess<'d>>(self, mut list: A) -> Result<Skipped, A::Error> {
        while list.next_element::<Skipped>()?.is_some() {}
        Ok(Skipped)
    }

    fn visit_map<A: MapAccess<'d>>(self, mut map: A) -> Result<Skipped, A::Error> {
        while map.next_entry::<MemberName<'d>, Skipped>()?.is_some() {}
        Ok(Skipped)
    }
}
