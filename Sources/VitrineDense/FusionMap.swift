import VitrineMath
import VitrineVision

/// For each pixel of a map, whether a point of the cloud covers it. Outlives the map.
///
/// Sendable, unchecked: threads only read it while `fuse` waits for them; only `fuse` writes it, between two maps.
final class SpentPixels: @unchecked Sendable {
    let count: Int
    private var words: [UInt64]

    init(count: Int) {
        self.count = count
        words = Array(repeating: 0, count: (count + 63) / 64)
    }

    func withWords<Result>(_ body: (UnsafeBufferPointer<UInt64>) throws -> Result) rethrows -> Result {
        try words.withUnsafeBufferPointer(body)
    }
    func insert(_ pixel: Int) { words[pixel >> 6] |= 1 << UInt64(pixel & 63) }
}

/// A map with its photo and the pixels that points already use.
struct FusionMap: Sendable {
    let map: DepthMap
    let view: PhotoView
    let spent: SpentPixels
    let worldFromCamera: RigidTransform

    var bytes: Int { map.depths.count * 9 + view.color.values.count + (view.mask?.values.count ?? 0) }
}

/// The maps in memory, within a limit.
struct FusionStore {
    let limit: Int
    let map: (Int) throws -> DepthMap?
    let view: (Int) throws -> PhotoView
    private var held: [Int: FusionMap] = [:]
    /// The indices of `held`, the least recently used first.
    private var order: [Int] = []
    private var spent: [Int: SpentPixels] = [:]

    init(limit: Int, map: @escaping (Int) throws -> DepthMap?, view: @escaping (Int) throws -> PhotoView) {
        (self.limit, self.map, self.view) = (limit, map, view)
    }

    /// A map's photo, from memory or loaded; nil for a missing map.
    func view(at index: Int) throws -> PhotoView? { try held[index]?.view ?? map(index).map { _ in try view(index) } }

    /// A map, from memory or loaded.
    func map(at index: Int) throws -> DepthMap? { try held[index]?.map ?? map(index) }

    mutating func fetch(_ index: Int) throws -> FusionMap? {
        order.removeAll { $0 == index }
        if let found = held[index] {
            order.append(index)
            return found
        }
        guard let map = try map(index) else { return nil }
        let view = try view(index)
        guard map.photo == view.photo else { throw DenseError.malformedMap("the map of photo \(map.photo) is not of photo \(view.photo)") }
        let flags = spent[index] ?? SpentPixels(count: map.depths.count)
        guard flags.count == map.depths.count else { throw DenseError.malformedMap("the map of photo \(map.photo) has changed") }
        spent[index] = flags
        let entry = FusionMap(map: map, view: view, spent: flags, worldFromCamera: map.camera.cameraFromWorld.inverse)
        held[index] = entry
        order.append(index)
        // A sum of integers: the dictionary's order does not matter.
        var bytes = held.values.reduce(0) { $0 + $1.bytes }
        while bytes > limit, order.count > 1 {
            guard let gone = held.removeValue(forKey: order.removeFirst()) else { continue }
            bytes -= gone.bytes
        }
        return entry
    }
}

/// The pixels of a `FusionMap`, without references to objects: threads that count the references to the same objects for each pixel wait for each other.
///
/// Valid within `FusionMap.withPixels`, which only reads. Sendable, unchecked, for that reason.
struct FusionPixels: @unchecked Sendable {
    /// `PhotoView.photo`.
    let photo: Int
    let width, height: Int
    let camera: PosedCamera
    let worldFromCamera: RigidTransform
    let depths: UnsafeBufferPointer<Float>
    let confidences: UnsafeBufferPointer<UInt8>
    private let normals: UnsafeBufferPointer<UInt32>
    private let spent: UnsafeBufferPointer<UInt64>
    private let colors: UnsafeBufferPointer<UInt8>
    private let colorWidth, colorHeight: Int
    private let mask: UnsafeBufferPointer<UInt8>?
    private let maskWidth, maskHeight: Int

    /// Calls `body` with the pixels of a map.
    fileprivate static func with<Result>(_ fusionMap: FusionMap, _ body: (FusionPixels) throws -> Result) rethrows -> Result {
        let (map, view) = (fusionMap.map, fusionMap.view)
        return try map.depths.withUnsafeBufferPointer { depths in
            try map.confidences.withUnsafeBufferPointer { confidences in
                try map.normals.withUnsafeBufferPointer { normals in
                    try fusionMap.spent.withWords { spent in
                        try view.color.values.withUnsafeBufferPointer { colors in
                            try (view.mask?.values ?? []).withUnsafeBufferPointer { mask in
                                try body(
                                    FusionPixels(
                                        photo: view.photo, width: map.width, height: map.height, camera: map.camera,
                                        worldFromCamera: fusionMap.worldFromCamera, depths: depths, confidences: confidences,
                                        normals: normals, spent: spent, colors: colors, colorWidth: view.color.width,
                                        colorHeight: view.color.height, mask: view.mask == nil ? nil : mask,
                                        maskWidth: view.mask?.width ?? 0, maskHeight: view.mask?.height ?? 0))
                            }
                        }
                    }
                }
            }
        }
    }

    /// Whether a point of the cloud covers the pixel.
    func isSpent(_ pixel: Int) -> Bool { spent[pixel >> 6] >> UInt64(pixel & 63) & 1 != 0 }

    /// Whether the mask has the object at the pixel; true without a mask.
    func showsObject(_ x: Int, _ y: Int) -> Bool {
        guard let mask else { return true }
        return mask[MaskPlane.index(maskWidth, maskHeight, at: x, y, of: width, height)] != 0
    }

    /// The surface point at the centre of a pixel, in the world.
    func pointInWorld(_ x: Int, _ y: Int) -> Vector3d {
        let depth = Double(depths[y * width + x])
        let ray = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - camera.intrinsics.center) / camera.intrinsics.focal
        return worldFromCamera * Vector3d(ray.x * depth, ray.y * depth, depth)
    }

    func normalInWorld(_ pixel: Int) -> Vector3 { Vector3(worldFromCamera.rotation * Vector3d(DepthMap.unpackNormal(normals[pixel]))) }

    /// The photo's colour at a pixel of the map, 0…255.
    func color(_ x: Int, _ y: Int) -> Vector3 {
        let column = min(colorWidth - 1, (2 * x + 1) * colorWidth / (2 * width))
        let row = min(colorHeight - 1, (2 * y + 1) * colorHeight / (2 * height))
        let index = (row * colorWidth + column) * 3
        return Vector3(Float(colors[index]), Float(colors[index + 1]), Float(colors[index + 2]))
    }
}

extension FusionMap {
    /// Calls `body` with the pixels of maps, in their order.
    static func withPixels<Result>(of maps: [FusionMap], _ body: ([FusionPixels]) throws -> Result) rethrows -> Result {
        func add(_ pixels: [FusionPixels]) throws -> Result {
            guard pixels.count < maps.count else { return try body(pixels) }
            return try FusionPixels.with(maps[pixels.count]) { try add(pixels + [$0]) }
        }
        return try add([])
    }
}
