/// Prints warnings about a file to standard error. Of more than three that differ only in their location and their numbers, the first is
/// printed, with the number of the others.
func printWarnings(_ warnings: [some CustomStringConvertible], about file: String) {
    for warning in merged(warnings.map(\.description)) { printError("warning: \(file): \(warning)") }
}

/// The warnings in the order of the first of each kind.
func merged(_ warnings: [String]) -> [String] {
    var kinds: [String] = []
    var groups: [String: [String]] = [:]
    for warning in warnings {
        let kind = kind(of: warning)
        if groups[kind] == nil { kinds.append(kind) }
        groups[kind, default: []].append(warning)
    }
    return kinds.flatMap { kind in
        let group = groups[kind] ?? []
        return group.count > 3 ? ["\(group[0]) (\(group.count - 1) more like this)"] : group
    }
}

/// A warning without its location, a JSON pointer or the path of a prim, and with one character for each number.
private func kind(of warning: String) -> String {
    var text = warning[...]
    if text.first == "/", let end = text.firstRange(of: ": ") { text = text[end.upperBound...] }
    var result = ""
    for character in text {
        let isDigit = ("0"..."9").contains(character)
        if !isDigit || result.last != "#" { result.append(isDigit ? "#" : character) }
    }
    return result
}
