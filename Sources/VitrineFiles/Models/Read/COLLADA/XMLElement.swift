/// One element of an `XMLTree`.
struct XMLElement: Hashable {
    let tree: XMLTree
    let index: Int32

    static func == (a: Self, b: Self) -> Bool { a.index == b.index && a.tree === b.tree }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(tree))
        hasher.combine(index)
    }

    private var node: XMLTree.Node { tree.nodes[Int(index)] }
    /// The name without a namespace prefix.
    var name: String { tree.nodes[Int(index)].name }
    var line: Int { Int(node.line) }
    var location: String { "line \(line)" }
    var parent: XMLElement? { node.parent < 0 ? nil : XMLElement(tree: tree, index: node.parent) }

    /// The value of an attribute.
    subscript(name: String) -> String? {
        for attribute in node.attributes where tree.attributes[Int(attribute)].name == name { return tree.attributes[Int(attribute)].value }
        return nil
    }

    var id: String? { self["id"] }
    var sid: String? { self["sid"] }
    /// The name in messages: `name`, otherwise `id`, otherwise empty.
    var title: String { self["name"] ?? id ?? "" }

    var children: Children { Children(tree: tree, following: node.firstChild) }

    struct Children: Sequence, IteratorProtocol {
        let tree: XMLTree
        var following: Int32

        mutating func next() -> XMLElement? {
            guard following >= 0 else { return nil }
            defer { following = tree.nodes[Int(following)].nextSibling }
            return XMLElement(tree: tree, index: following)
        }
    }

    /// The first child with this name.
    func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

    /// Returns the first descendant with a path of names.
    func child(_ path: String...) -> XMLElement? {
        var current = self
        for name in path {
            guard let next = current.child(name) else { return nil }
            current = next
        }
        return current
    }

    func children(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

    /// The descendants, in document order.
    var descendants: some Sequence<XMLElement> {
        // Elements are in document order: the descendants end at the next element that is not one.
        var end = Int32(tree.nodes.count)
        var current: Int32 = index
        while current >= 0 {
            if tree.nodes[Int(current)].nextSibling >= 0 {
                end = tree.nodes[Int(current)].nextSibling
                break
            }
            current = tree.nodes[Int(current)].parent
        }
        return (index + 1..<Swift.max(end, index + 1)).lazy.map { [tree] in XMLElement(tree: tree, index: $0) }
    }

    func firstDescendant(_ name: String) -> XMLElement? { descendants.first { $0.name == name } }

    // MARK: Content

    /// The text without blanks at its ends.
    var text: String {
        var range = node.text
        while let byte = range.first, Self.isBlank(tree.text[byte]) { range = byte + 1..<range.upperBound }
        while let byte = range.last, Self.isBlank(tree.text[byte]) { range = range.lowerBound..<byte }
        return String(decoding: tree.text[range], as: UTF8.self)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    func failure(_ reason: String) -> ModelFileError { ModelFileError(file: tree.file, location: location, reason: .malformed(reason)) }

    /// Parses all numbers of the text.
    ///
    /// - Parameter limit: The largest number of values; more are an error.
    func floats(limit: Int = .max) throws(ModelFileError) -> [Float] {
        let (values, bad) = tree.text.withUnsafeBufferPointer { NumberList.floats($0, node.text, limit: limit) }
        if let bad { throw failure("<\(name)>: \(describeInvalidNumber(bad))") }
        return values
    }

    /// Parses all whole numbers of the text.
    func integers() throws(ModelFileError) -> [Int32] {
        let (values, bad) = tree.text.withUnsafeBufferPointer { NumberList.integers($0, node.text) }
        if let bad { throw failure("<\(name)>: \(describeInvalidNumber(bad))") }
        return values
    }

    private func describeInvalidNumber(_ offset: Int) -> String {
        let word = tree.text[offset..<min(offset + 24, node.text.upperBound)].prefix { !Self.isBlank($0) }
        return "\"\(String(decoding: word, as: UTF8.self))\" is not a valid number"
    }

    /// Parses a single number; returns nil if there is none.
    func float() throws(ModelFileError) -> Float? { try floats(limit: 16).first }

    /// The words of the text.
    var words: [String] {
        tree.text[node.text].split(whereSeparator: Self.isBlank).map { String(decoding: $0, as: UTF8.self) }
    }

    /// "1" or "true".
    var isTrue: Bool { ["1", "true", "TRUE", "True"].contains(text) }
}
