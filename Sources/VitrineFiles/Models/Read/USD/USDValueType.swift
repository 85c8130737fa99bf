/// The value type that the name of an attribute's type defines.
struct USDValueType {
    enum Kind { case bool, integer, real, text, asset, dictionary, unknown }

    let kind: Kind
    /// The number of numbers in one value.
    let width: Int
    /// Whether the value is a quaternion, written as w, x, y, z.
    let isQuaternion: Bool
    let isArray: Bool

    private init(_ kind: Kind, _ width: Int = 1, isQuaternion: Bool = false, isArray: Bool) {
        (self.kind, self.width, self.isQuaternion, self.isArray) = (kind, width, isQuaternion, isArray)
    }

    /// Creates a type from its name.
    ///
    /// - Parameter name: The name of the type, such as `point3f[]`.
    init(_ name: String) {
        let isArray = name.hasSuffix("[]")
        let base = isArray ? String(name.dropLast(2)) : name
        switch base {
        case "bool": self.init(.bool, isArray: isArray)
        case "int", "uint", "int64", "uint64", "uchar": self.init(.integer, isArray: isArray)
        case "half", "float", "double", "timecode": self.init(.real, isArray: isArray)
        case "string", "token", "pathExpression": self.init(.text, isArray: isArray)
        case "asset": self.init(.asset, isArray: isArray)
        case "dictionary": self.init(.dictionary, isArray: isArray)
        case "quath", "quatf", "quatd": self.init(.real, 4, isQuaternion: true, isArray: isArray)
        case "frame4d": self.init(.real, 16, isArray: isArray)
        default: self = Self.tuple(base, isArray: isArray)
        }
    }

    /// Returns the type of `float3`, `color4h`, `matrix4d` …
    private static func tuple(_ name: String, isArray: Bool) -> USDValueType {
        let stem = name.prefix { !$0.isNumber }
        let rest = name.dropFirst(stem.count)
        guard let size = rest.first?.wholeNumberValue, (2...4).contains(size) else { return USDValueType(.unknown, isArray: isArray) }
        switch (stem, rest.dropFirst()) {
        case ("int", ""), ("uint", ""): return USDValueType(.integer, size, isArray: isArray)
        case ("half", ""), ("float", ""), ("double", ""): return USDValueType(.real, size, isArray: isArray)
        case ("matrix", "d"), ("matrix", "f"): return USDValueType(.real, size * size, isArray: isArray)
        case ("point", "h"), ("point", "f"), ("point", "d"), ("vector", "h"), ("vector", "f"), ("vector", "d"), ("normal", "h"),
            ("normal", "f"), ("normal", "d"), ("color", "h"), ("color", "f"), ("color", "d"), ("texCoord", "h"), ("texCoord", "f"),
            ("texCoord", "d"):
            return USDValueType(.real, size, isArray: isArray)
        default: return USDValueType(.unknown, isArray: isArray)
        }
    }
}
