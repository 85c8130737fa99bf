import CExpat

/// A parsed XML document: its elements in document order, with their attributes, texts and line numbers.
///
/// The text of an element is stored as UTF-8 bytes and parsed in place, because files have millions of numbers. Text beside child elements is
/// dropped: no supported format has any.
final class XMLTree {
    struct Node {
        let name: String
        /// The line, from 1.
        let line: Int32
        let parent: Int32
        let attributes: Range<Int32>
        var text: Range<Int>
        var firstChild: Int32 = -1
        var nextSibling: Int32 = -1
    }

    /// The name of the file in errors.
    let file: String
    /// The folder of the file, relative to that of the first file; empty or with a slash at its end.
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

/// Limits of an XML file.
struct XMLLimits {
    /// The largest nesting depth of elements.
    var depth = 512
    var elements = 1 << 23
    var attributes = 1 << 24
}

extension XMLTree {
    /// Parses a document (UTF-8, UTF-16, ISO 8859-1; with or without a byte order mark). Entity declarations are an error, so that no content can expand
    /// or refer to other files.
    static func parse(
        _ bytes: [UInt8], file: String, folder: String = "", limits: XMLLimits = XMLLimits()
    ) throws(ModelFileError) -> XMLTree {
        let builder = XMLTreeBuilder(limits: limits)
        builder.reserve(for: bytes.count)
        if let (line, reason) = builder.run(bytes) {
            throw ModelFileError(file: file, location: "line \(line)", reason: .malformed(reason))
        }
        return XMLTree(file: file, folder: folder, nodes: builder.nodes, attributes: builder.attributes, text: builder.text)
    }
}

/// Receives the callbacks of expat.
private final class XMLTreeBuilder {
    var nodes: [XMLTree.Node] = []
    var attributes: [(name: String, value: String)] = []
    var text: [UInt8] = []
    private let limits: XMLLimits
    private var parser: XML_Parser?
    /// The open elements, each with its last child.
    private var open: [(node: Int32, lastChild: Int32)] = []
    private var failure: String?

    init(limits: XMLLimits) { self.limits = limits }

    func reserve(for count: Int) { text.reserveCapacity(count) }

    /// Parses the text.
    ///
    /// - Returns: The line and the reason of an error.
    func run(_ bytes: [UInt8]) -> (line: Int, reason: String)? {
        guard let parser = XML_ParserCreate(nil) else { return (1, "no memory for the XML parser") }
        defer { XML_ParserFree(parser) }
        self.parser = parser
        XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
        XML_SetElementHandler(
            parser, { XMLTreeBuilder.from($0).start($1, $2) }, { data, _ in XMLTreeBuilder.from(data).end() })
        XML_SetCharacterDataHandler(parser) { XMLTreeBuilder.from($0).add($1, Int($2)) }
        XML_SetEntityDeclHandler(parser) { data, _, _, _, _, _, _, _, _ in
            XMLTreeBuilder.from(data).stop("entity declarations are not allowed")
        }
        let isParsed = bytes.withUnsafeBytes { raw -> Bool in
            let chunk = 1 << 24
            var offset = 0
            repeat {
                let count = min(chunk, raw.count - offset)
                let base = raw.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
                guard XML_Parse(parser, base, Int32(count), offset + count == raw.count ? 1 : 0) == XML_STATUS_OK else { return false }
                offset += count
            } while offset < raw.count
            return true
        }
        if isParsed, !nodes.isEmpty { return nil }
        let reason = failure ?? XML_ErrorString(XML_GetErrorCode(parser)).map { "XML: " + String(cString: $0) } ?? "the XML is invalid"
        return (Int(XML_GetCurrentLineNumber(parser)), reason)
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> XMLTreeBuilder {
        Unmanaged<XMLTreeBuilder>.fromOpaque(data!).takeUnretainedValue()
    }

    private func stop(_ reason: String) {
        failure = failure ?? reason
        XML_StopParser(parser, 0)
    }

    private func start(_ name: UnsafePointer<XML_Char>?, _ list: UnsafeMutablePointer<UnsafePointer<XML_Char>?>?) {
        guard failure == nil, let name else { return }
        guard open.count < limits.depth else { return stop("elements are nested more than \(limits.depth) deep") }
        guard nodes.count < limits.elements else { return stop("more than \(limits.elements) elements") }
        let first = attributes.count
        var next = list
        while let pair = next, let key = pair[0], let value = pair[1] {
            attributes.append((Self.localName(key), String(cString: value)))
            next = pair + 2
        }
        guard attributes.count <= limits.attributes else { return stop("more than \(limits.attributes) attributes") }
        let index = Int32(nodes.count)
        let parent = open.last
        if let parent {
            if parent.lastChild < 0 {
                nodes[Int(parent.node)].firstChild = index
            } else {
                nodes[Int(parent.lastChild)].nextSibling = index
            }
            open[open.count - 1].lastChild = index
            dropText(of: parent.node)
        }
        nodes.append(
            XMLTree.Node(
                name: Self.localName(name), line: Int32(clamping: XML_GetCurrentLineNumber(parser)), parent: parent?.node ?? -1,
                attributes: Int32(first)..<Int32(attributes.count), text: text.count..<text.count))
        open.append((index, -1))
    }

    private func end() {
        guard failure == nil, let (index, lastChild) = open.popLast() else { return }
        if lastChild >= 0 { dropText(of: index) }
        let start = nodes[Int(index)].text.lowerBound
        nodes[Int(index)].text = start..<(lastChild >= 0 ? start : text.count)
    }

    /// Removes text before a start tag: an element with children contains only blanks.
    private func dropText(of node: Int32) {
        // Only the text since the end of the element's start tag or of its last child.
        let lastEnd = max(nodes[Int(node)].text.lowerBound, endOfLastText)
        if text.count > lastEnd { text.removeLast(text.count - lastEnd) }
    }

    /// The end of the text of the last closed element: everything before it is kept.
    private var endOfLastText: Int { nodes.last.map { $0.text.upperBound } ?? 0 }

    private func add(_ characters: UnsafePointer<XML_Char>?, _ count: Int) {
        guard failure == nil, let characters, count > 0, !open.isEmpty else { return }
        characters.withMemoryRebound(to: UInt8.self, capacity: count) {
            text.append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
        }
    }

    private static func localName(_ name: UnsafePointer<XML_Char>) -> String {
        let text = String(cString: name)
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
        return String(text[text.index(after: colon)...])
    }
}
