//! Keys, states and sinks belong to one stream.

use std::cell::RefCell;
use std::rc::Rc;

use shoal_stream::{ConnectorError, Seal, StreamError};

use crate::broker::{Broker, CASTLE, HARDENED, KEY, PUBLISHED, modes, records, start, write_key};

#[test]
fn a_key_that_is_lost_or_anothers_does_not_start_against_the_old_sink() {
    for mode in modes() {
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records(100, 3), ..Broker::default() }));
        start(folder.path(), mode, &broker).unwrap();
        std::fs::remove_file(folder.path().join("key")).unwrap();
        // A new one is made by hand, as by somebody in a hurry.
        write_key(&folder.path().join("key"), &KEY.replace('6', "7"));
        let error = start(folder.path(), mode, &broker).unwrap_err();
        assert!(matches!(error, StreamError::OtherStream { .. }), "{mode}: {error}");
        // With a new state folder, too, the sink is not that of the key.
        std::fs::remove_dir_all(folder.path().join("state")).unwrap();
        let error = start(folder.path(), mode, &broker).unwrap_err();
        assert!(matches!(&error, StreamError::Connector(ConnectorError::Refused { .. })), "{mode}: {error}");
    }
}

#[test]
fn a_sink_that_lacks_what_has_left_is_refused() {
    for mode in [PUBLISHED, CASTLE] {
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records(200, 3), ..Broker::default() }));
        start(folder.path(), mode, &broker).unwrap();
        let mut older = Broker { records: broker.borrow().records.clone(), ..Broker::default() };
        let first = broker.borrow().messages[0].clone();
        let key = std::fs::read_to_string(folder.path().join("key")).unwrap();
        let byte = |at: usize| u8::from_str_radix(&key[2 * at..2 * at + 2], 16).unwrap();
        let key: [u8; 32] = std::array::from_fn(byte);
        older.closed = Some(Seal::new(&key).close(&first.0));
        older.messages = vec![first];
        let error = start(folder.path(), mode, &Rc::new(RefCell::new(older))).unwrap_err();
        assert!(matches!(error, StreamError::SinkBehind { .. }), "{mode}: {error}");
    }
}

#[test]
fn a_key_that_somebody_made_is_bound_to_the_design_of_its_first_use() {
    let folder = tempfile::tempdir().unwrap();
    let broker = || Rc::new(RefCell::new(Broker { records: records(200, 3), ..Broker::default() }));
    start(folder.path(), HARDENED, &broker()).unwrap();
    std::fs::remove_dir_all(folder.path().join("state")).unwrap();
    let other = HARDENED.replace("l = 3", "l = 2");
    let error = start(folder.path(), &other, &broker()).unwrap_err();
    assert!(matches!(error, StreamError::OtherDesign { .. }), "{error}");
}

/// In every mode, also where nothing is remembered: both would publish the next batch.
#[test]
fn a_folder_is_one_process_s_while_a_stream_runs() {
    for mode in modes() {
        let folder = tempfile::tempdir().unwrap();
        let broker = Rc::new(RefCell::new(Broker { records: records(100, 3), ..Broker::default() }));
        start(folder.path(), mode, &broker).unwrap();
        // As another process would hold it.
        let lock = std::fs::File::open(folder.path().join("state/lock")).unwrap();
        lock.lock().unwrap();
        let error = start(folder.path(), mode, &broker).unwrap_err();
        assert!(matches!(error, StreamError::StateInUse { .. }), "{mode}: {error}");
        drop(lock);
        start(folder.path(), mode, &broker).unwrap();
    }
}

/// Positions of one topic are not places in another, whose first records would be passed over.
#[test]
fn two_sources_do_not_share_a_folder() {
    for mode in modes() {
        let folder = tempfile::tempdir().unwrap();
        let first = Broker { records: records(200, 3), topic: Some("visits"), ..Broker::default() };
        let broker = Rc::new(RefCell::new(first));
        start(folder.path(), mode, &broker).unwrap();
        let shown = broker.borrow().messages.clone();
        // More than were read before, so that nothing but its name tells it from the topic that was read.
        let other = records(400, 4);
        broker.replace_with(|old| Broker { records: other, topic: Some("wards"), ..std::mem::take(old) });
        let error = start(folder.path(), mode, &broker).unwrap_err();
        assert!(matches!(error, StreamError::OtherSource { .. }), "{mode}: {error}");
        assert!(error.hint().unwrap().contains("new sink"), "{mode}");
        assert_eq!(broker.borrow().messages, shown);
    }
}

#[test]
fn two_policies_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let broker = || Rc::new(RefCell::new(Broker { records: records(200, 3), ..Broker::default() }));
    start(folder.path(), HARDENED, &broker()).unwrap();
    for other in [PUBLISHED, CASTLE, &HARDENED.replace("learn = 40", "learn = 50")] {
        let error = start(folder.path(), other, &broker()).unwrap_err();
        assert!(matches!(error, StreamError::OtherStream { .. }), "{other}: {error}");
    }
    start(folder.path(), HARDENED, &broker()).unwrap();
}
