import VitrineMath
import VitrineVision

/// Joins depth maps into one cloud of oriented points, keeping what several photos agree on.
///
/// Maps are taken in the order of their indices. Each of a map's pixels that no earlier point covers is looked up in the maps of its sources;
/// where enough of them show the same point, their mean becomes a point of the cloud and their pixels are spent. In the end points go that
/// other maps, of any photo, see through: what stands in free space would become skins between the surface's parts.
package struct DepthFusion: Sendable {
    package struct Options: Equatable, Sendable {
        /// How many maps have to agree on a point, its own among them, 1…10.
        package var minimumViews = 3
        /// How far from its pixel a point may fall when it is taken to another map and back, in pixels of the map.
        package var maximumReprojection: Float = 1.5
        /// How far the depths may differ, as a share of the depth.
        package var maximumDepthDifference: Float = 0.01
        /// How far the normals may differ, in degrees.
        package var maximumNormalAngle: Float = 50
        /// Pixels of less confidence (0…255) are left out.
        package var minimumConfidence: UInt8 = 1
        /// Points that so many maps surely see through are left out, 1…255; 0 keeps them.
        package var minimumContradictions: UInt8 = 2
        /// Pixels of at least this confidence (0…255) are sure enough to see through points.
        package var witnessConfidence: UInt8 = 100
        /// Only points in here are wanted; nil takes all.
        package var bounds: OrientedBox?
        /// How many bytes of maps and photos are held at once; below, those used longest ago are fetched again.
        package var memory = 512 << 20

        package init() {}
    }

    package let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// - Parameters:
    ///   - count: how many maps there are.
    ///   - sources: for each map the indices of the maps that may confirm it.
    ///   - map: a map by its index; nil where there is none. Asked again for maps that had to be let go.
    ///   - view: the photo of a map, for its colours and mask.
    /// - Throws: `DenseError.malformedMap` for a map that doesn't belong to its view, `CancellationError`, and what `map` and `view` throw.
    package func fuse(
        count: Int, sources: [[Int]], map: @escaping (Int) throws -> DepthMap?, view: @escaping (Int) throws -> PhotoView,
        in context: StageContext = StageContext()
    ) throws -> OrientedPoints {
        guard sources.count == count else { throw DenseError.option("\(sources.count) lists of sources for \(count) maps") }
        var store = FusionStore(limit: options.memory, map: map, view: view)
        var points = OrientedPoints()
        for index in 0..<count {
            try context.checkCancellation()
            context.report(0.9 * Double(index) / Double(count))
            guard let reference = try store.fetch(index) else { continue }
            var others: [FusionMap] = []
            for source in sources[index] where source != index && (0..<count).contains(source) {
                if let other = try store.fetch(source) { others.append(other) }
            }
            let sighted = others
            let rows = context.parallel.map(reference.map.height) { row($0, of: reference, sighted) }
            for row in rows {
                points.append(row.points)
                for (other, pixel) in row.spent { others[other].spent.pixels[pixel] = true }
            }
        }
        points = try withoutContradicted(
            points, count: count, store: store, in: context.part(from: 0.9, to: 1))
        context.report(1)
        return points
    }
}

/// For each pixel of a map whether a point of the cloud covers it. Outlives the map.
///
/// Sendable, unchecked: threads only read it, while `fuse` waits for them; `fuse` alone writes it, between the maps' turns.
final class SpentPixels: @unchecked Sendable {
    var pixels: [Bool]

    init(count: Int) { pixels = Array(repeating: false, count: count) }
}

/// A map with its photo and what has been spent of it.
struct FusionMap: Sendable {
    let map: DepthMap
    let view: PhotoView
    let spent: SpentPixels
    let worldFromCamera: RigidTransform

    var bytes: Int { map.depths.count * 9 + view.color.values.count + (view.mask?.values.count ?? 0) }
}

/// The maps at hand, within a limit of memory.
struct FusionStore {
    let limit: Int
    let map: (Int) throws -> DepthMap?
    let view: (Int) throws -> PhotoView
    private var held: [Int: FusionMap] = [:]
    /// The indices of `held`, the one used longest ago first.
    private var order: [Int] = []
    private var spent: [Int: SpentPixels] = [:]

    init(limit: Int, map: @escaping (Int) throws -> DepthMap?, view: @escaping (Int) throws -> PhotoView) {
        (self.limit, self.map, self.view) = (limit, map, view)
    }

    /// A map alone, at hand or not.
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
        guard flags.pixels.count == map.depths.count else { throw DenseError.malformedMap("the map of photo \(map.photo) has changed") }
        spent[index] = flags
        let entry = FusionMap(map: map, view: view, spent: flags, worldFromCamera: map.camera.cameraFromWorld.inverse)
        held[index] = entry
        order.append(index)
        // The sum of whole numbers: the dictionary's order doesn't matter.
        var bytes = held.values.reduce(0) { $0 + $1.bytes }
        while bytes > limit, order.count > 1 {
            guard let gone = held.removeValue(forKey: order.removeFirst()) else { continue }
            bytes -= gone.bytes
        }
        return entry
    }
}
