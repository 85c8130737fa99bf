import VitrineMath

/// A volume of truncated signed distances to the surfaces that depth images measure (Curless & Levoy 1996), in blocks that exist near surfaces only
/// (Nießner et al. 2013).
///
/// A block has 16³ samples, 2.5 cm apart, of three bytes each: 12 KB. At most 2,048 blocks (25 MB) exist: beyond that, the block that was observed
/// longest ago is dropped. Deterministic: blocks have the order in which they were made.
struct DepthVolume: Sendable {
    /// The integer coordinates of a block, in multiples of its size.
    typealias Key = SIMD3<Int32>

    /// The samples of a block along each axis.
    static let side = 16
    /// Metres between two samples.
    static let spacing: Float = 0.025
    /// The edge of a block in metres.
    static let blockSize = Float(side) * spacing
    /// The largest distance that is stored, in metres: 2.4 samples, more than the noise of depth sensors up to 3 m.
    static let truncation: Float = 0.06
    static let capacity = 2048
    /// The depths in metres that make surfaces. Farther surfaces only prove that the space in front of them, up to this range, is free.
    static let range: ClosedRange<Float> = 0.15...4

    private static let samples = side * side * side
    /// The most weight of a sample: newer measurements replace older ones.
    private static let maximumWeight: Int32 = 40
    /// The stored number of the truncation distance.
    private static let unit: Float = 32_000
    /// The change of a stored distance that changes the mesh: 0.3 mm.
    private static let significantChange = Int32(0.0003 / truncation * unit)

    private(set) var keys: [Key] = []
    private var slots: [Key: Int] = [:]
    /// The number of the depth image that observed each block last.
    private var lastObserved: [Int] = []
    /// Distances in front of (above 0) and behind (below 0) the surface, block by block.
    private var distances: [Int16] = []
    /// The weight of each sample; 0 if it was never observed.
    private var weights: [UInt8] = []
    private var imageCount = 0

    func slot(_ key: Key) -> Int? { slots[key] }

    /// The corner of a block with the smallest coordinates.
    static func origin(_ key: Key) -> Vector3 { Vector3(Float(key.x), Float(key.y), Float(key.z)) * blockSize }

    private static func key(_ point: Vector3) -> Key {
        let cell = (point / blockSize).rounded(.down)
        return Key(Int32(cell.x), Int32(cell.y), Int32(cell.z))
    }

    /// Makes the blocks around the surfaces of a depth image.
    ///
    /// - Parameter isEmpty: Whether a block has no mesh: those need not be observed once more.
    /// - Returns: The blocks that the image may change, and blocks that were dropped to make room.
    mutating func prepare(for view: DepthView, isEmpty: (Key) -> Bool) -> (observed: [Key], dropped: [Key]) {
        imageCount += 1
        var near = Set<Key>()
        var order: [Key] = []
        // About 80 × 60 rays: neighbours are 7 cm apart at 4 m.
        let step = max(1, view.width / 80)
        for y in stride(from: step / 2, to: view.height, by: step) {
            var last: Key?
            for x in stride(from: step / 2, to: view.width, by: step) {
                let depth = view.metres[y * view.width + x]
                guard depth > 0, depth <= view.farthest else { continue }
                let pixel = (Vector2(Float(x) + 0.5, Float(y) + 0.5) - view.center) / view.focal
                let ray = Vector3(pixel.x, pixel.y, 1)
                let reach = Self.truncation / length(ray)
                for offset in [-reach, 0, reach] {
                    let key = Self.key(view.volumeFromCamera.transform(point: ray * (depth + offset)))
                    if key != last, near.insert(key).inserted { order.append(key) }
                    last = key
                }
            }
        }
        var dropped: [Key] = []
        for key in order { if slots[key] == nil, let key = insert(key) { dropped.append(key) } }
        // Blocks with a mesh in front of the surfaces: those surfaces may no longer exist.
        let radius = Self.blockSize * 0.87
        for key in keys where !near.contains(key) && !isEmpty(key) {
            let center = Self.origin(key) + Self.blockSize / 2
            if view.mayContain(center, radius: radius, farthest: Self.range.upperBound) { order.append(key) }
        }
        for key in order { if let slot = slots[key] { lastObserved[slot] = imageCount } }
        return (order.filter { slots[$0] != nil }, dropped)
    }

    /// Adds a block.
    ///
    /// - Returns: The block that was dropped to make room.
    private mutating func insert(_ key: Key) -> Key? {
        guard keys.count >= Self.capacity else {
            slots[key] = keys.count
            keys.append(key)
            lastObserved.append(imageCount)
            distances.append(contentsOf: repeatElement(0, count: Self.samples))
            weights.append(contentsOf: repeatElement(0, count: Self.samples))
            return nil
        }
        let slot = lastObserved.indices.min { (lastObserved[$0], $0) < (lastObserved[$1], $1) }!
        let old = keys[slot]
        slots[old] = nil
        (slots[key], keys[slot], lastObserved[slot]) = (slot, key, imageCount)
        for index in slot * Self.samples..<(slot + 1) * Self.samples { weights[index] = 0 }
        return old
    }

    /// Averages a depth image into a block.
    ///
    /// - Returns: Whether the surface may have changed.
    mutating func integrate(_ key: Key, _ view: DepthView) -> Bool {
        guard let slot = slots[key] else { return false }
        let origin = view.cameraFromVolume.transform(point: Self.origin(key))
        let axes = view.cameraFromVolume.linear
        let (stepX, stepY, stepZ) = (axes.x * Self.spacing, axes.y * Self.spacing, axes.z * Self.spacing)
        let (width, height) = (view.width, view.height)
        let (right, bottom) = (Float(width) - 0.5, Float(height) - 0.5)
        let freeEnd = view.farthest - Self.truncation
        var isChanged = false
        let base = slot * Self.samples
        view.metres.withUnsafeBufferPointer { metres in
            distances.withUnsafeMutableBufferPointer { distances in
                weights.withUnsafeMutableBufferPointer { weights in
                    for z in 0..<Self.side {
                        for y in 0..<Self.side {
                            var point = origin + stepY * Float(y) + stepZ * Float(z)
                            let row = base + (z * Self.side + y) * Self.side
                            for x in 0..<Self.side {
                                defer { point += stepX }
                                guard point.z > 0.05 else { continue }
                                let inverse = 1 / point.z
                                let u = point.x * inverse * view.focal.x + view.center.x
                                let v = point.y * inverse * view.focal.y + view.center.y
                                guard u >= 0.5, v >= 0.5, u < right, v < bottom else { continue }
                                let depth = Self.sample(metres, u - 0.5, v - 0.5, width, height)
                                // Of a surface beyond the range only the free space in front of it counts.
                                guard depth > 0, depth <= view.farthest || point.z < freeEnd else { continue }
                                let distance = depth - point.z
                                guard distance > -Self.truncation else { continue }
                                let measured = Int32(min(distance / Self.truncation, 1) * Self.unit)
                                // Free space is certain at any distance.
                                let share: Int32 = depth < 1.5 || distance >= Self.truncation ? 4 : depth < 2.5 ? 2 : 1
                                let (old, weight) = (Int32(distances[row + x]), Int32(weights[row + x]))
                                let new = (old * weight + measured * share) / (weight + share)
                                distances[row + x] = Int16(new)
                                weights[row + x] = UInt8(min(weight + share, Self.maximumWeight))
                                if weight == 0 ? abs(new) < Int32(Self.unit) : abs(new - old) > Self.significantChange { isChanged = true }
                            }
                        }
                    }
                }
            }
        }
        return isChanged
    }

    /// The depth between four pixels: their bilinear mean if they agree to 5 %, otherwise the nearest one; 0 if that is unknown.
    @inline(__always) private static func sample(
        _ metres: UnsafeBufferPointer<Float>, _ x: Float, _ y: Float, _ width: Int, _ height: Int
    ) -> Float {
        let (column, row) = (min(Int(x), width - 2), min(Int(y), height - 2))
        let (fx, fy) = (x - Float(column), y - Float(row))
        let at = row &* width &+ column
        let (a, b, c, d) = (metres[at], metres[at &+ 1], metres[at &+ width], metres[at &+ width &+ 1])
        let (near, far) = (min(min(a, b), min(c, d)), max(max(a, b), max(c, d)))
        if near > 0, far < near * 1.05 {
            let (upper, lower) = (a + (b - a) * fx, c + (d - c) * fx)
            return upper + (lower - upper) * fy
        }
        return fy < 0.5 ? (fx < 0.5 ? a : b) : (fx < 0.5 ? c : d)
    }

    /// The samples of a block and one layer of its neighbours on each side: 18³ distances in metres, NaN where nothing was observed.
    func surroundings(of key: Key) -> [Float] {
        let (side, wide) = (Self.side, Self.side + 2)
        var result = [Float](repeating: .nan, count: wide * wide * wide)
        let scale = Self.truncation / Self.unit
        for dz in Int32(-1)...1 {
            for dy in Int32(-1)...1 {
                for dx in Int32(-1)...1 {
                    guard let slot = slots[key &+ Key(dx, dy, dz)] else { continue }
                    func range(_ offset: Int32) -> Range<Int> { offset < 0 ? side - 1..<side : offset > 0 ? 0..<1 : 0..<side }
                    for z in range(dz) {
                        for y in range(dy) {
                            let from = slot * Self.samples + (z * side + y) * side
                            let to = ((z + 1 + Int(dz) * side) * wide + y + 1 + Int(dy) * side) * wide + 1 + Int(dx) * side
                            for x in range(dx) where weights[from + x] > 0 { result[to + x] = Float(distances[from + x]) * scale }
                        }
                    }
                }
            }
        }
        return result
    }

    /// The number of bytes of all samples.
    var byteCount: Int { distances.count * 2 + weights.count }
}
