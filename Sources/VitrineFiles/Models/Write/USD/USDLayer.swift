/// A USD layer in memory, for the writers of its text and binary forms: a flat tree of prims, parents first.
struct USDLayer {
    var prims: [USDPrim] = []
    /// The fields of the layer, in order.
    var metadata: [(name: String, value: USDValue)] = []

    /// Appends a prim as a child of another one, or at the top. Changes the name to one that USD allows and that no sibling has.
    ///
    /// - Returns: The prim's index.
    mutating func add(_ typeName: String, named name: String, below parent: Int?) -> Int {
        let unique = names[parent ?? -1, default: UniqueNames()].unique(Self.identifier(name, fallback: typeName))
        let path = (parent.map { prims[$0].path } ?? "") + "/" + unique
        prims.append(USDPrim(name: unique, typeName: typeName, path: path, parent: parent))
        if let parent { prims[parent].children.append(prims.count - 1) } else { roots.append(prims.count - 1) }
        // Only newer readers allow names in other scripts.
        if unique != name, !name.isEmpty { prims[prims.count - 1].metadata.append(("displayName", .string(name))) }
        return prims.count - 1
    }

    private(set) var roots: [Int] = []
    /// The names of the children by parent, −1 for the top level.
    private var names: [Int: UniqueNames] = [:]

    /// Returns a name of ASCII letters, digits and underscores, without a leading digit.
    static func identifier(_ name: String, fallback: String) -> String {
        var result = ""
        for character in name.unicodeScalars {
            let isAllowed = character.isASCII && (character.properties.isAlphabetic || ("0"..."9").contains(character) || character == "_")
            result.unicodeScalars.append(isAllowed ? character : "_")
        }
        guard result.contains(where: { $0 != "_" }) else { return fallback }
        return result.first?.isNumber == true ? "_" + result : result
    }
}

struct USDPrim {
    enum Specifier: UInt64 {
        case define = 0
        /// Visible only through references.
        case `class` = 2
    }

    let name: String
    let typeName: String
    let path: String
    let parent: Int?
    var specifier = Specifier.define
    var children: [Int] = []
    /// The path of the prim of this layer that this one references.
    var reference: String?
    /// Whether readers share the prims with the same reference.
    var isInstance = false
    var apiSchemas: [String] = []
    /// The fields except specifier, type and API schemas.
    var metadata: [(name: String, value: USDValue)] = []
    var properties: [USDProperty] = []

    init(name: String, typeName: String, path: String, parent: Int?) {
        (self.name, self.typeName, self.path, self.parent) = (name, typeName, path, parent)
    }

    /// Adds an attribute with a value.
    mutating func set(_ name: String, _ type: String, _ value: USDValue, isUniform: Bool = false, interpolation: String? = nil) {
        var property = USDProperty(name: name, typeName: type)
        (property.value, property.isUniform, property.interpolation) = (value, isUniform, interpolation)
        properties.append(property)
    }

    /// Adds an attribute connected to another one with the path `connection`; nil only declares it.
    mutating func connect(_ name: String, _ type: String, to connection: String?) {
        var property = USDProperty(name: name, typeName: type)
        property.connection = connection
        properties.append(property)
    }

    /// Adds an animated attribute.
    mutating func animate(_ name: String, _ type: String, times: [Double], _ values: [USDValue]) {
        var property = USDProperty(name: name, typeName: type)
        property.samples = Array(zip(times, values))
        properties.append(property)
    }

    /// Adds a relationship.
    mutating func relate(_ name: String, to paths: String...) { relate(name, to: paths) }

    mutating func relate(_ name: String, to paths: [String]) {
        var property = USDProperty(name: name, typeName: "")
        property.targets = paths
        properties.append(property)
    }
}

/// An attribute or, if it has targets, a relationship.
struct USDProperty {
    let name: String
    let typeName: String
    var value: USDValue?
    var isUniform = false
    var interpolation: String?
    /// The number of values per vertex.
    var elementSize: Int?
    var connection: String?
    /// The time samples, in increasing order of time codes.
    var samples: [(time: Double, value: USDValue)] = []
    /// The targets of a relationship; empty for attributes.
    var targets: [String] = []

    init(name: String, typeName: String) { (self.name, self.typeName) = (name, typeName) }
}

/// The value of an attribute or a field. Arrays of vectors are flat.
enum USDValue {
    case bool(Bool)
    case float(Float)
    case double(Double)
    case token(String)
    case string(String)
    /// A path relative to the layer.
    case asset(String)
    case float2(Float, Float)
    case float3(Float, Float, Float)
    case float4(Float, Float, Float, Float)
    /// A matrix by rows, for row vectors: `point * matrix`.
    case matrix4([Double])
    /// A quaternion x, y, z, w.
    case quaternion([Float])
    case tokens([String])
    case integers([Int32])
    case floats([Float])
    case float2s([Float])
    case float3s([Float])
    /// Vectors stored with 16 bits per component.
    case half3s([Float])
    case quaternions([Float])
    case matrices([Double])
}
