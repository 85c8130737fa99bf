import VitrineGLTF

/// The header of a PLY file: its elements and their properties. Based on "The PLY Polygon File Format" (Turk, 1994).
struct PLYLayout {
    enum Encoding: Equatable { case text, littleEndian, bigEndian }

    enum Number: Equatable {
        case int8, uint8, int16, uint16, int32, uint32, float, double

        var size: Int {
            switch self {
            case .int8, .uint8: 1
            case .int16, .uint16: 2
            case .int32, .uint32, .float: 4
            case .double: 8
            }
        }

        init?(_ name: String) {
            switch name {
            case "char", "int8": self = .int8
            case "uchar", "uint8": self = .uint8
            case "short", "int16": self = .int16
            case "ushort", "uint16": self = .uint16
            case "int", "int32": self = .int32
            case "uint", "uint32": self = .uint32
            case "float", "float32": self = .float
            case "double", "float64": self = .double
            default: return nil
            }
        }

        /// The value that represents 1 in a colour.
        var whole: Double {
            switch self {
            case .int8: 127
            case .uint8: 255
            case .int16: 32767
            case .uint16: 65535
            case .int32: 2_147_483_647
            case .uint32: 4_294_967_295
            case .float, .double: 1
            }
        }
    }

    struct Property: Equatable {
        let name: String
        let number: Number
        /// The type of the length of a list.
        let length: Number?
    }

    struct Element: Equatable {
        let name: String
        let count: Int
        var properties: [Property] = []

        /// Returns the smallest size of the property in bytes: two for a number in text.
        func smallest(_ encoding: Encoding) -> Int {
            properties.reduce(0) { $0 + (encoding == .text ? 2 : ($1.length ?? $1.number).size) }
        }
    }

    private(set) var encoding = Encoding.text
    private(set) var elements: [Element] = []
    /// The offset of the data, and the number of lines of the header.
    private(set) var dataOffset = 0
    private(set) var lines = 0

    /// The largest number of properties of a header.
    private static let maximumProperties = 1000

    init(_ bytes: UnsafeBufferPointer<UInt8>, file: String) throws(ModelFileError) {
        var scanner = TextScanner(bytes)
        func failure(_ reason: String) -> ModelFileError {
            ModelFileError(file: file, location: "line \(scanner.line)", reason: .malformed(reason))
        }
        // The word "ply" may follow blank lines.
        _ = scanner.findWords()
        scanner.nextLine()
        var (hasFormat, properties) = (false, 0)
        while true {
            guard !scanner.isAtEnd else { throw failure("the header does not end") }
            let words = Self.words(&scanner)
            switch words.first {
            case "format":
                hasFormat = true
                switch words.count > 1 ? words[1] : "" {
                case "ascii": encoding = .text
                case "binary_little_endian": encoding = .littleEndian
                case "binary_big_endian": encoding = .bigEndian
                default: throw failure("the format is unknown")
                }
            case "element":
                guard words.count == 3, let count = Int(words[2]), count >= 0 else { throw failure("must be: element NAME COUNT") }
                elements.append(Element(name: words[1], count: count))
            case "property":
                properties += 1
                guard properties <= Self.maximumProperties else { throw failure("more than \(Self.maximumProperties) properties") }
                guard let property = Self.property(words), !elements.isEmpty else { throw failure("a property is invalid") }
                elements[elements.count - 1].properties.append(property)
            case "end_header":
                guard hasFormat else { throw failure("the format is missing") }
                scanner.nextLine()
                (dataOffset, lines) = (scanner.offset, scanner.line - 1)
                return
            case nil, "comment", "obj_info": break
            default: throw failure("\"\(MessageText.name(words[0]))\" is not a statement of a PLY header")
            }
            scanner.nextLine()
        }
    }

    private static func words(_ scanner: inout TextScanner) -> [String] {
        var words: [String] = []
        while words.count < 6, let word = scanner.word() { words.append(scanner.text(word)) }
        return words
    }

    private static func property(_ words: [String]) -> Property? {
        if words.count == 5, words[1] == "list", let length = Number(words[2]), let number = Number(words[3]) {
            return length == .float || length == .double ? nil : Property(name: words[4], number: number, length: length)
        }
        guard words.count == 3, let number = Number(words[1]) else { return nil }
        return Property(name: words[2], number: number, length: nil)
    }
}
