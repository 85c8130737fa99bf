/// The references between the images of a HEIF file (ISO/IEC 23008-12): a grid refers to its tiles, an alpha plane to its image.
///
/// The library decodes a referenced image with a call of its own, so that images that refer to one another in a circle would overflow the stack,
/// and grids of grids of grids would never end. Such files are refused before the library reads them.
struct HEIFReferences {
    /// The most images that are derived from one another. An alpha plane of a grid of a camera has three.
    static let maximumDepth = 8
    /// The most images that are decoded for one.
    static let maximumCount = 10_000

    /// The images that the decoding of an image decodes directly.
    private var parts: [UInt32: [UInt32]] = [:]
    private let name: String

    /// Reads the references.
    ///
    /// - Parameter name: The name of the file in errors.
    init(_ bytes: [UInt8], name: String) {
        self.name = name
        for meta in Self.boxes("meta", in: bytes[...]) {
            for table in Self.boxes("iref", in: meta.dropFirst(4)) { add(table) }
        }
    }

    /// Throws if an image is derived in a circle or from too many others.
    func check() throws(ImageFileError) {
        var known: [UInt32: (depth: Int, count: Int)] = [:]
        for image in parts.keys.sorted() { _ = try cost(of: image, above: 0, &known) }
    }

    private func cost(
        of image: UInt32, above: Int, _ known: inout [UInt32: (depth: Int, count: Int)]
    ) throws(ImageFileError) -> (depth: Int, count: Int) {
        if let cost = known[image] { return cost }
        var (depth, count) = (1, 1)
        for part in parts[image] ?? [] {
            guard above + 1 < Self.maximumDepth else { throw tooDeep }
            let cost = try cost(of: part, above: above + 1, &known)
            (depth, count) = (max(depth, 1 + cost.depth), count + cost.count)
            guard depth <= Self.maximumDepth else { throw tooDeep }
            guard count <= Self.maximumCount else {
                throw ImageFileError(
                    file: name, reason: .malformed("one of its images is derived from more than \(Self.maximumCount) others"))
            }
        }
        known[image] = (depth, count)
        return (depth, count)
    }

    private var tooDeep: ImageFileError {
        ImageFileError(file: name, reason: .malformed("its images are derived from one another \(Self.maximumDepth) times or in a circle"))
    }

    /// Adds the references of a reference box, whose content begins with its version.
    private mutating func add(_ table: ArraySlice<UInt8>) {
        let width = table.first == 0 ? 2 : 4
        for (kind, isReversed) in [("dimg", false), ("auxl", true)] {
            for box in Self.boxes(kind, in: table.dropFirst(4)) {
                guard box.count >= width + 2 else { continue }
                let from = Self.number(box.prefix(width))
                var rest = box.dropFirst(width + 2)
                // A box may state more references than it has.
                for _ in 0..<min(Int(Self.number(box.dropFirst(width).prefix(2))), rest.count / width) {
                    let to = Self.number(rest.prefix(width))
                    parts[isReversed ? to : from, default: []].append(isReversed ? from : to)
                    rest = rest.dropFirst(width)
                }
            }
        }
    }

    // MARK: Boxes

    /// The contents of the boxes of a kind (ISO/IEC 14496-12); a box that ends after `bytes` is shortened.
    private static func boxes(_ kind: String, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (rest, found) = (bytes, [ArraySlice<UInt8>]())
        while rest.count >= 8 {
            var (size, header) = (UInt64(number(rest.prefix(4))), 8)
            if size == 1, rest.count >= 16 {
                size = UInt64(number(rest.dropFirst(8).prefix(4))) << 32 | UInt64(number(rest.dropFirst(12).prefix(4)))
                header = 16
            }
            // 0: up to the end.
            let length = size == 0 ? rest.count : Int(min(size, UInt64(rest.count)))
            if rest.dropFirst(4).prefix(4).elementsEqual(kind.utf8) { found.append(rest.prefix(length).dropFirst(header)) }
            rest = rest.dropFirst(max(length, header))
        }
        return found
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
}

extension ImageFile {
    static func headerOfHEIF(_ bytes: [UInt8], name: String) throws(ImageFileError) -> Header {
        try HEIFReferences(bytes, name: name).check()
        return try libraryHeader(of: bytes, kind: .heif, codec: .heif, name: name)
    }
}
