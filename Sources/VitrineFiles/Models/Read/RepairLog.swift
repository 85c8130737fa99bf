/// The repairs of a reader, as one warning for each kind with the first position and the number of repairs.
///
/// All readers follow the same rule: a value or an element that violates the format but has one obvious interpretation is repaired with a warning;
/// content without an obvious interpretation, or that cannot be read safely, is an error. `ModelLoadOptions.isStrict` turns warnings into errors.
struct RepairLog {
    private struct Entry {
        let message: String
        let location: String
        var count = 0
    }

    private var entries: [Entry] = []

    /// - Parameter location: The position of the repair; only that of the first repair of each kind is stored.
    mutating func add(_ message: String, at location: @autoclosure () -> String, count: Int = 1) {
        guard count > 0 else { return }
        if let index = entries.firstIndex(where: { $0.message == message }) {
            entries[index].count += count
        } else {
            entries.append(Entry(message: message, location: location(), count: count))
        }
    }

    /// The warnings, in the order of the first repairs.
    var warnings: [ModelWarning] {
        entries.map { entry in
            ModelWarning(location: entry.location, message: entry.count == 1 ? entry.message : "\(entry.message) (\(entry.count) times)")
        }
    }

    /// The messages for numbers that are infinite or not a number.
    static let notFinite = "the number is infinite or not a number and was set to 0"
    static let notFiniteColor = "the colour is infinite or not a number and was set to 1"
    static let smallFace = "a face of fewer than three corners was ignored"
}
