/// A value of a document, with typed access to its members: nil for an absent member, and an error with its position for a wrong type.
package struct JSONValue {
    let document: JSONDocument
    let id: Int

    package var kind: JSONDocument.Kind { document.values[id].kind }
    /// The offset of the value in the document's bytes.
    package var offset: Int { Int(document.values[id].start) }
    package var pointer: String { document.pointer(to: id) }

    package func failure(_ text: String) -> GLTFError {
        GLTFError(file: document.name, location: .property(pointer), reason: .invalid(text))
    }

    /// Returns an error about a member, which may be missing.
    package func failure(_ key: StaticString, _ text: String) -> GLTFError {
        if let member = self[key] { return member.failure(text) }
        return failure("\"\(JSONValue.text(key))\" \(text)")
    }

    private static func text(_ key: StaticString) -> String {
        String(decoding: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount), as: UTF8.self)
    }

    // MARK: Members and elements

    /// The value of a member; nil if there is none, or if this value is not an object.
    package subscript(key: StaticString) -> JSONValue? {
        let value = document.values[id]
        guard value.kind == .object else { return nil }
        let first = Int(value.first)
        for member in 0..<Int(value.count) where document.isString(Int(document.children[first + 2 * member]), equalTo: key) {
            return JSONValue(document: document, id: Int(document.children[first + 2 * member + 1]))
        }
        return nil
    }

    /// The number of elements or members.
    package var count: Int { kind == .array || kind == .object ? Int(document.values[id].count) : 0 }

    /// The element of an array; `index` must be below `count`.
    package subscript(index: Int) -> JSONValue {
        JSONValue(document: document, id: Int(document.children[Int(document.values[id].first) + index]))
    }

    /// Returns the name and the value of an object's member.
    package func member(_ index: Int) -> (name: String, value: JSONValue) {
        let first = Int(document.values[id].first) + 2 * index
        return (
            String(decoding: document.utf8(of: Int(document.children[first])), as: UTF8.self),
            JSONValue(document: document, id: Int(document.children[first + 1]))
        )
    }

    /// Returns the document's identifier of a member's name, and its value.
    func memberIDs(_ index: Int) -> (name: Int, value: JSONValue) {
        let first = Int(document.values[id].first) + 2 * index
        return (Int(document.children[first]), JSONValue(document: document, id: Int(document.children[first + 1])))
    }

    // MARK: Conversion of this value

    package func number() throws(GLTFError) -> Double {
        guard kind == .number else { throw failure("must be a number") }
        let value = document.values[id]
        return JSONNumber.value(of: document.bytes[Int(value.first)..<Int(value.first) + Int(value.count)])
    }

    package func float() throws(GLTFError) -> Float {
        let value = Float(try number())
        guard value.isFinite else { throw failure("is too large") }
        return value
    }

    /// Returns an integer; `1.0` and `1e3` are integers, too.
    package func integer(in range: ClosedRange<Int> = 0...Int.max) throws(GLTFError) -> Int {
        guard let value = Int(exactly: try number()) else { throw failure("must be an integer") }
        guard range.contains(value) else {
            throw failure(
                range.upperBound == .max ? "must be at least \(range.lowerBound)" : "must be \(range.lowerBound)…\(range.upperBound)")
        }
        return value
    }

    package func string() throws(GLTFError) -> String { String(decoding: try utf8(), as: UTF8.self) }

    package func utf8() throws(GLTFError) -> ArraySlice<UInt8> {
        guard kind == .string || kind == .escapedString else { throw failure("must be a string") }
        return document.utf8(of: id)
    }

    package func boolean() throws(GLTFError) -> Bool {
        guard kind == .yes || kind == .no else { throw failure("must be true or false") }
        return kind == .yes
    }

    package func requireObject() throws(GLTFError) {
        guard kind == .object else { throw failure("must be an object") }
    }

    package func requireArray() throws(GLTFError) {
        guard kind == .array else { throw failure("must be an array") }
    }

    // MARK: Conversion of a member

    package func integer(_ key: StaticString, in range: ClosedRange<Int> = 0...Int.max) throws(GLTFError) -> Int? {
        guard let member = self[key] else { return nil }
        return try member.integer(in: range)
    }

    package func requireInteger(_ key: StaticString, in range: ClosedRange<Int> = 0...Int.max) throws(GLTFError) -> Int {
        guard let value = try integer(key, in: range) else { throw failure(key, "is missing") }
        return value
    }

    /// Returns an index into an array of `count` elements.
    package func index(_ key: StaticString, below count: Int) throws(GLTFError) -> Int? {
        guard let member = self[key] else { return nil }
        return try member.index(below: count)
    }

    package func index(below count: Int) throws(GLTFError) -> Int {
        let value = try integer()
        guard value < count else { throw failure("index \(value), but there are \(count)") }
        return value
    }

    package func requireIndex(_ key: StaticString, below count: Int) throws(GLTFError) -> Int {
        guard let value = try index(key, below: count) else { throw failure(key, "is missing") }
        return value
    }

    package func float(_ key: StaticString) throws(GLTFError) -> Float? {
        guard let member = self[key] else { return nil }
        return try member.float()
    }

    package func requireFloat(_ key: StaticString) throws(GLTFError) -> Float {
        guard let value = try float(key) else { throw failure(key, "is missing") }
        return value
    }

    /// Returns exactly `count` numbers.
    package func floats(_ key: StaticString, count: Int) throws(GLTFError) -> [Float]? {
        guard let member = try array(key) else { return nil }
        guard member.count == count else { throw member.failure("must have \(count) numbers, has \(member.count)") }
        return try member.floats()
    }

    package func floats() throws(GLTFError) -> [Float] {
        var result: [Float] = []
        result.reserveCapacity(count)
        for index in 0..<count { result.append(try self[index].float()) }
        return result
    }

    package func string(_ key: StaticString) throws(GLTFError) -> String? {
        guard let member = self[key] else { return nil }
        return try member.string()
    }

    package func boolean(_ key: StaticString) throws(GLTFError) -> Bool? {
        guard let member = self[key] else { return nil }
        return try member.boolean()
    }

    package func object(_ key: StaticString) throws(GLTFError) -> JSONValue? {
        guard let member = self[key] else { return nil }
        try member.requireObject()
        return member
    }

    package func array(_ key: StaticString) throws(GLTFError) -> JSONValue? {
        guard let member = self[key] else { return nil }
        try member.requireArray()
        return member
    }

    /// Returns `extensions.NAME`.
    func `extension`(_ name: StaticString) throws(GLTFError) -> JSONValue? { try object("extensions")?.object(name) }
}
