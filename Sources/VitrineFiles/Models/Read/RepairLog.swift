/// The repairs that a reader made, one warning for each kind: the first place and how often.
///
/// The rule for all readers: a value or an element that breaks the format but leaves one obvious reading is repaired, with a warning; what has
/// no obvious reading, or can't be read safely, is an error. `ModelLoadOptions.isStrict` makes an error of every warning.
struct RepairLog {
    private struct Entry {
        let message: String
        let place: String
        var count = 0
    }

    private var entries: [Entry] = []

    /// - Parameter place: Of this repair; kept for the first of its kind only.
    mutating func add(_ message: String, at place: @autoclosure () -> String, count: Int = 1) {
        guard count > 0 else { return }
        if let index = entries.firstIndex(where: { $0.message == message }) {
            entries[index].count += count
        } else {
            entries.append(Entry(message: message, place: place(), count: count))
        }
    }

    /// In the order of the first repairs.
    var warnings: [ModelWarning] {
        entries.map { entry in
            ModelWarning(place: entry.place, message: entry.count == 1 ? entry.message : "\(entry.message) (\(entry.count) times)")
        }
    }

    /// For numbers that are infinite or not a number.
    static let notFinite = "the number is infinite or not a number and was set to 0"
    static let notFiniteColor = "the colour is infinite or not a number and was set to 1"
    static let smallFace = "a face of fewer than three corners was left out"
}
