import Foundation

/// A value of a JSON document at any depth. A missing value has no members.
struct JSONNode {
    let value: Any?

    init(_ value: Any?) { self.value = value }

    subscript(key: String) -> JSONNode { JSONNode(members[key]) }

    var members: [String: Any] { value as? [String: Any] ?? [:] }
    var elements: [JSONNode] { (value as? [Any] ?? []).map { JSONNode($0) } }
    var number: Double? { (value as? NSNumber)?.doubleValue }
    var integer: Int? { number.flatMap { Int(exactly: $0) } }
    var integers: [Int] { elements.map { $0.integer ?? -1 } }
    var text: String? { value as? String }
    var isThere: Bool { value != nil }
    var isList: Bool { value is [Any] }

    /// Everything inside, with its place.
    func visit(_ location: String = "", _ body: (_ location: String, _ key: String, _ value: JSONNode) -> Void) {
        for key in members.keys.sorted() {
            body(location + "/" + key, key, self[key])
            self[key].visit(location + "/" + key, body)
        }
        for (index, element) in elements.enumerated() { element.visit(location + "/\(index)", body) }
    }
}
