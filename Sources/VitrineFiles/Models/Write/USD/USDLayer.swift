/// A USD layer in memory, as the writers of its text and binary forms take it: prims in a tree kept flat, parents first.
struct USDLayer {
    var prims: [USDPrim] = []
    /// Fields of the layer itself, in their order.
    var metadata: [(name: String, value: USDValue)] = []

    /// Appends a prim below another one, or at the top. The name becomes one that USD allows and that no sibling has.
    ///
    /// - Returns: The prim's index.
    mutating func add(_ typeName: String, named name: String, below parent: Int?) -> Int {
        let unique = names[parent ?? -1, default: UniqueNames()].unique(Self.identifier(name, fallback: typeName))
        let path = (parent.map { prims[$0].path } ?? "") + "/" + unique
        prims.append(USDPrim(name: unique, typeName: typeName, path: path, parent: parent))
        if let parent { prims[parent].children.append(prims.count - 1) } else { roots.append(prims.count - 1) }
        // Names in other scripts would be allowed in newer readers only.
        if unique != name, !name.isEmpty { prims[prims.count - 1].metadata.append(("displayName", .string(name))) }
        return prims.count - 1
    }

    private(set) var roots: [Int] = []
    /// By parent, −1 for the top: the names of its children.
    private var names: [Int: UniqueNames] = [:]

    /// ASCII letters, digits and underscores, no digit first.
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
        /// Shown only where something brings it in.
        case `class` = 2
    }

    let name: String
    let typeName: String
    let path: String
    let parent: Int?
    var specifier = Specifier.define
    var children: [Int] = []
    /// Path of a prim of this layer whose content this one has.
    var reference: String?
    /// Whether those with the same reference are one for readers.
    var isInstance = false
    var apiSchemas: [String] = []
    /// Fields beside specifier, type and API schemas.
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

    /// Adds an attribute that takes its value from another one, `connection` its path; nil only declares it.
    mutating func connect(_ name: String, _ type: String, to connection: String?) {
        var property = USDProperty(name: name, typeName: type)
        property.connection = connection
        properties.append(property)
    }

    /// Adds an attribute with values over time.
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

/// An attribute or, where it has targets, a relationship.
struct USDProperty {
    let name: String
    let typeName: String
    var value: USDValue?
    var isUniform = false
    var interpolation: String?
    /// Numbers of each vertex.
    var elementSize: Int?
    var connection: String?
    /// By time code, rising.
    var samples: [(time: Double, value: USDValue)] = []
    /// Empty for attributes.
    var targets: [String] = []

    init(name: String, typeName: String) { (self.name, self.typeName) = (name, typeName) }
}

/// What an attribute or a field holds. Arrays of vectors are flat.
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
    /// By rows; row vectors: `point * matrix`.
    case matrix4([Double])
    /// x, y, z, w.
    case quaternion([Float])
    case tokens([String])
    case integers([Int32])
    case floats([Float])
    case float2s([Float])
    case float3s([Float])
    /// Kept in 16 bits each.
    case half3s([Float])
    case quaternions([Float])
    case matrices([Double])
}
