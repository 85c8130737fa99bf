/// The value of a field of a USD layer. Vectors, matrices and arrays of them are flat; quaternions are x, y, z, w.
indirect enum USDField {
    /// The value `None`, which also hides the opinions of weaker layers.
    case blocked
    case bool(Bool)
    case number(Double)
    /// A token or a string.
    case text(String)
    /// The path of a file, relative to the layer.
    case asset(String)
    case texts([String])
    case assets([String])
    /// A tuple: a vector, a quaternion, or a matrix by rows.
    case numbers([Double])
    case floats([Float])
    case integers([Int32])
    /// Edits of a list of tokens or strings.
    case textEdits(USDListEdits<String>)
    /// Edits of a list of paths in the layer.
    case paths(USDListEdits<String>)
    case references(USDListEdits<USDReference>)
    case dictionary([String: USDField])
    /// Time samples in increasing order of time codes.
    case samples([USDSample])
    /// The (offset, scale) of times for each layer.
    case offsets([USDTimeOffset])
    /// A value that is not supported.
    case other

    var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    var float: Float? { number.map { Float($0) } }

    /// The text of a token, a string or the path of a file.
    var text: String? {
        switch self {
        case .text(let text), .asset(let text): text
        default: nil
        }
    }

    var texts: [String]? {
        switch self {
        case .texts(let texts), .assets(let texts): texts
        case .text(let text): [text]
        case .textEdits(let edits): edits.applied(to: [])
        // An empty list has no type.
        case .floats(let values) where values.isEmpty: []
        case .integers(let values) where values.isEmpty: []
        default: nil
        }
    }

    var numbers: [Double]? {
        switch self {
        case .numbers(let values): values
        case .floats(let values): values.map { Double($0) }
        case .integers(let values): values.map { Double($0) }
        case .number(let value): [value]
        default: nil
        }
    }

    var floats: [Float]? {
        switch self {
        case .floats(let values): values
        case .numbers(let values): values.map { Float($0) }
        case .integers(let values): values.map { Float($0) }
        case .number(let value): [Float(value)]
        default: nil
        }
    }

    var integers: [Int32]? {
        switch self {
        case .integers(let values): values
        case .floats(let values): values.isEmpty ? [] : values.map { Int32(exactly: $0) ?? -1 }
        case .number(let value): Int32(exactly: value).map { [$0] }
        case .texts(let values) where values.isEmpty: []
        default: nil
        }
    }

    var isBlocked: Bool { if case .blocked = self { true } else { false } }
}

/// A time sample.
struct USDSample {
    let time: Double
    let value: USDField
}

/// The map from a layer's times to those of the layer that refers to it: `offset + scale · time`.
struct USDTimeOffset: Hashable {
    var offset = 0.0
    var scale = 1.0

    /// Returns the composition that applies `inner` first.
    func after(_ inner: USDTimeOffset) -> USDTimeOffset {
        USDTimeOffset(offset: offset + scale * inner.offset, scale: scale * inner.scale)
    }

    func apply(_ time: Double) -> Double { offset + scale * time }

    /// Whether times stay ordered and finite.
    var isUsable: Bool { offset.isFinite && scale.isFinite && scale > 0 }
}

/// A reference to a prim of this or another layer.
struct USDReference: Hashable {
    /// The path of the layer; empty for this layer.
    var asset: String
    /// The path of the prim; empty for the layer's default prim.
    var path: String
    var offset = USDTimeOffset()
}

/// The edits of a list by one layer.
struct USDListEdits<Item: Hashable> {
    var explicit: [Item]?
    var added: [Item] = []
    var prepended: [Item] = []
    var appended: [Item] = []
    var deleted: [Item] = []
    var ordered: [Item] = []

    /// Returns the list after these edits.
    func applied(to weaker: [Item]) -> [Item] {
        if let explicit { return Self.unique(explicit) }
        let (gone, first, last) = (Set(deleted), Set(prepended), Set(appended))
        var list = weaker.filter { !gone.contains($0) }
        let known = Set(list)
        list += added.filter { !known.contains($0) }
        list = Self.unique(prepended) + list.filter { !first.contains($0) }
        list = list.filter { !last.contains($0) } + Self.unique(appended)
        guard !ordered.isEmpty else { return list }
        // An item in the order list keeps the items that follow it.
        let indices = Dictionary(ordered.enumerated().map { ($1, $0) }, uniquingKeysWith: { a, _ in a })
        var (groups, head): ([(Int, [Item])], [Item]) = ([], [])
        for item in list {
            if let index = indices[item] {
                groups.append((index, [item]))
            } else if groups.isEmpty {
                head.append(item)
            } else {
                groups[groups.count - 1].1.append(item)
            }
        }
        return head + groups.sorted { $0.0 < $1.0 }.flatMap(\.1)
    }

    private static func unique(_ items: [Item]) -> [Item] {
        var seen: Set<Item> = []
        return items.filter { seen.insert($0).inserted }
    }

    func map<Other: Hashable>(_ body: (Item) -> Other) -> USDListEdits<Other> {
        USDListEdits<Other>(
            explicit: explicit?.map(body), added: added.map(body), prepended: prepended.map(body), appended: appended.map(body),
            deleted: deleted.map(body), ordered: ordered.map(body))
    }
}
