import VitrineGLTF

/// A USD crate file (`.usdc`), versions 0.4 to 0.12, which include those that `CrateWriter` and OpenUSD write.
struct CrateFile {
    private let file: String
    private let tables: CrateTables
    private var values: CrateValueReader

    /// Reads the tables of a file.
    ///
    /// - Parameters:
    ///   - file: The name of the file in errors.
    ///   - budget: The maximum number of decompressed bytes.
    init(_ bytes: [UInt8], file: String, budget: Int) throws(ModelFileError) {
        var reader = CrateBytes(bytes, file: file, budget: budget)
        guard bytes.count >= 88, bytes.starts(with: "PXR-USDC".utf8) else { throw reader.failure("is not a crate file") }
        let version = Int(bytes[9])
        guard bytes[8] == 0, (4...12).contains(version) else {
            throw ModelFileError(
                file: file, location: "byte 8", reason: .malformed("version \(bytes[8]).\(bytes[9]), only 0.4 to 0.12 are supported"))
        }
        self.file = file
        tables = try CrateTables(&reader)
        values = CrateValueReader(reader, tables: tables, version: version)
    }

    /// The number of bytes that may still be decompressed.
    var budget: Int { values.budget }

    /// The raw values of the kinds of specs.
    private enum Kind {
        static let attribute: Int32 = 1, prim: Int32 = 6, layer: Int32 = 7, relationship: Int32 = 8, variant: Int32 = 10
        static let variantSet: Int32 = 11
    }

    /// Returns the layer as prims by path.
    mutating func document(location: String) throws(ModelFileError) -> USDDocument {
        var contents = USDDocument.Contents()
        // Specs share values.
        var known: [UInt64: USDField] = [:]
        var isPrim = [Bool](repeating: false, count: tables.paths.count)
        for spec in tables.specs where spec.kind == Kind.prim || spec.kind == Kind.variant || spec.kind == Kind.layer {
            let fields = try fields(of: spec, known: &known)
            guard spec.kind != Kind.layer else {
                contents.fields = fields
                contents.roots = fields["primChildren"]?.texts ?? []
                continue
            }
            let path = tables.text(ofPath: spec.path)
            guard !tables.paths[spec.path].isProperty, contents.prims[path] == nil else { continue }
            isPrim[spec.path] = true
            var prim = USDDocument.Prim()
            // A prim without a specifier is a definition.
            switch fields["specifier"]?.number {
            case 1: prim.specifier = .over
            case 2: prim.specifier = .class
            default: prim.specifier = .define
            }
            prim.typeName = fields["typeName"]?.text ?? ""
            prim.children = fields["primChildren"]?.texts ?? []
            prim.fields = fields
            contents.prims[path] = prim
        }
        for spec in tables.specs where spec.kind == Kind.attribute || spec.kind == Kind.relationship {
            let path = tables.paths[spec.path]
            guard path.isProperty, path.parent >= 0, isPrim[path.parent] else { continue }
            guard !path.name.hasPrefix(":"), !path.name.hasSuffix(":"), !path.name.contains("::") else {
                throw ModelFileError(
                    file: file, location: tables.text(ofPath: path.parent),
                    reason: .malformed("\"\(MessageText.name(path.name))\" is not a valid name of a property"))
            }
            let fields = try fields(of: spec, known: &known)
            var property = USDDocument.Property()
            property.isRelationship = spec.kind == Kind.relationship
            property.typeName = fields["typeName"]?.text ?? ""
            property.isUniform = fields["variability"]?.number == 1
            property.fields = fields
            let owner = tables.text(ofPath: path.parent)
            contents.prims[owner]?.properties[path.name] = property
            contents.prims[owner]?.propertyNames.append(path.name)
        }
        for spec in tables.specs where spec.kind == Kind.variantSet { try addVariantSet(spec, to: &contents, known: &known) }
        return USDDocument(location: location, contents)
    }

    /// Adds a variant set `/A{set=}` with its choices.
    private mutating func addVariantSet(
        _ spec: CrateTables.Spec, to contents: inout USDDocument.Contents, known: inout [UInt64: USDField]
    ) throws(ModelFileError) {
        let name = tables.paths[spec.path].name
        guard name.hasPrefix("{"), let equal = name.firstIndex(of: "="), tables.paths[spec.path].parent >= 0 else { return }
        let set = String(name[name.index(after: name.startIndex)..<equal])
        let choices = try fields(of: spec, known: &known)["variantChildren"]?.texts ?? []
        contents.prims[tables.text(ofPath: tables.paths[spec.path].parent)]?.variants.append((set, choices))
    }

    private mutating func fields(of spec: CrateTables.Spec, known: inout [UInt64: USDField]) throws(ModelFileError) -> [String: USDField] {
        var result: [String: USDField] = [:]
        for (name, representation) in tables.representations(of: spec) where result[name] == nil {
            if let value = known[representation] {
                result[name] = value
                continue
            }
            let value = try values.value(representation)
            known[representation] = value
            result[name] = value
        }
        return result
    }
}
