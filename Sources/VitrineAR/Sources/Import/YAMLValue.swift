/// A value of the YAML subset of calibration files.
struct YAMLValue: Equatable {
    indirect enum Content: Equatable {
        case scalar(String)
        case list([YAMLValue])
        case members([Member])
    }

    struct Member: Equatable {
        let name: String
        let value: YAMLValue
    }

    var content: Content
    /// The line number of its start, starting at 1.
    var line: Int

    subscript(name: String) -> YAMLValue? {
        guard case .members(let members) = content else { return nil }
        return members.first { $0.name == name }?.value
    }

    var text: String? {
        guard case .scalar(let text) = content, !text.isEmpty else { return nil }
        return text
    }

    var number: Double? { text.flatMap { NumberText.double(Array($0.utf8)[...]) } }

    /// The numbers of a list and its nested lists, by rows; nil if it contains other values.
    var numbers: [Double]? {
        guard case .list(let values) = content else { return nil }
        var all: [Double] = []
        for value in values {
            if let number = value.number {
                all.append(number)
            } else if let row = value.numbers {
                all += row
            } else {
                return nil
            }
        }
        return all
    }
}
