import VitrineGLTF

extension CrateFile {
    /// What kinds of specs are numbered.
    private enum Kind {
        static let attribute: Int32 = 1, prim: Int32 = 6, layer: Int32 = 7, relationship: Int32 = 8, variant: Int32 = 10
        static let variantSet: Int32 = 11
    }

    /// The layer as prims by path.
    mutating func document(location: String) throws(ModelFileError) -> USDDocument {
        let document = USDDocument(location: location)
        // Specs share values.
        var known: [UInt64: USDField] = [:]
        var isPrim = [Bool](repeating: false, count: paths.count)
        for spec in specs where spec.kind == Kind.prim || spec.kind == Kind.variant || spec.kind == Kind.layer {
            let fields = try fields(of: spec, known: &known)
            guard spec.kind != Kind.layer else {
                document.fields = fields
                document.roots = fields["primChildren"]?.texts ?? []
                continue
            }
            let path = text(ofPath: spec.path)
            guard !paths[spec.path].isProperty, document.prims[path] == nil else { continue }
            isPrim[spec.path] = true
            var prim = USDDocument.Prim()
            // One that says nothing defines.
            switch fields["specifier"]?.number {
            case 1: prim.specifier = .over
            case 2: prim.specifier = .class
            default: prim.specifier = .define
            }
            prim.typeName = fields["typeName"]?.text ?? ""
            prim.children = fields["primChildren"]?.texts ?? []
            prim.fields = fields
            document.prims[path] = prim
        }
        for spec in specs where spec.kind == Kind.attribute || spec.kind == Kind.relationship {
            let path = paths[spec.path]
            guard path.isProperty, path.parent >= 0, isPrim[path.parent] else { continue }
            guard !path.name.hasPrefix(":"), !path.name.hasSuffix(":"), !path.name.contains("::") else {
                throw ModelFileError(
                    file: reader.file, place: text(ofPath: path.parent),
                    reason: .malformed("\"\(MessageText.name(path.name))\" is no name of a property"))
            }
            let fields = try fields(of: spec, known: &known)
            var property = USDDocument.Property()
            property.isRelationship = spec.kind == Kind.relationship
            property.typeName = fields["typeName"]?.text ?? ""
            property.isUniform = fields["variability"]?.number == 1
            property.fields = fields
            let owner = text(ofPath: path.parent)
            document.prims[owner]?.properties[path.name] = property
            document.prims[owner]?.propertyNames.append(path.name)
        }
        for spec in specs where spec.kind == Kind.variantSet { try addVariantSet(spec, to: document, known: &known) }
        return document
    }

    /// `/A{set=}` with its choices.
    private mutating func addVariantSet(
        _ spec: Spec, to document: USDDocument, known: inout [UInt64: USDField]
    ) throws(ModelFileError) {
        let name = paths[spec.path].name
        guard name.hasPrefix("{"), let equal = name.firstIndex(of: "="), paths[spec.path].parent >= 0 else { return }
        let set = String(name[name.index(after: name.startIndex)..<equal])
        let choices = try fields(of: spec, known: &known)["variantChildren"]?.texts ?? []
        document.prims[text(ofPath: paths[spec.path].parent)]?.variants.append((set, choices))
    }

    private mutating func fields(of spec: Spec, known: inout [UInt64: USDField]) throws(ModelFileError) -> [String: USDField] {
        var result: [String: USDField] = [:]
        for (name, rep) in reps(of: spec) where result[name] == nil {
            if let value = known[rep] {
                result[name] = value
                continue
            }
            let value = try value(rep)
            known[rep] = value
            result[name] = value
        }
        return result
    }
}
