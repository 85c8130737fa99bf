/// An XML document whole: its elements in document order, with their attributes, their texts and the lines they begin on.
///
/// The text of an element is kept as bytes (UTF-8) and read where it lies: files have millions of numbers. Text beside child elements is
/// dropped: no format read here has any.
final class XMLTree {
    struct Node {
        let name: String
        /// From 1.
        let line: Int32
        let parent: Int32
        let attributes: Range<Int32>
        var text: Range<Int>
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
    }

    /// For errors: the file as it was named.
    let file: String
    /// The folder that paths in it count from, relative to the first file's; empty or with a slash at its end.
    let folder: String
    let nodes: [Node]
    let attributes: [(name: String, value: String)]
    let text: [UInt8]
    /// The first element with each `id`.
    let ids: [String: Int32]

    init(file: String, folder: String, nodes: [Node], attributes: [(name: String, value: String)], text: [UInt8]) {
        (self.file, self.folder, self.nodes, self.attributes, self.text) = (file, folder, nodes, attributes, text)
        var ids: [String: Int32] = [:]
        for (index, node) in nodes.enumerated() {
            for attribute in node.attributes where attributes[Int(attribute)].name == "id" {
                let id = attributes[Int(attribute)].value
                if ids[id] == nil { ids[id] = Int32(index) }
            }
        }
        self.ids = ids
    }

    var root: XMLElement { XMLElement(tree: self, index: 0) }

    func element(id: String) -> XMLElement? { ids[id].map { XMLElement(tree: self, index: $0) } }
}

/// What an XML file may hold.
struct XMLLimits {
    /// Elements in elements.
    var depth = 512
    var elements = 1 << 23
    var attributes = 1 << 24
}
