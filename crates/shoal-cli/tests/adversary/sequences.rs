//! A crowd that is smaller than it looks: whoever fits what is known about a person.
