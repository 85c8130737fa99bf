import VitrineMath
import VitrineVision

/// Fuses depth maps into a cloud of oriented points that several photos confirm.
///
/// Processes maps in the order of their indices. Reprojects each pixel of a map that no earlier point covers into the maps of its sources;
/// if enough of them confirm the point, their mean becomes a point of the cloud, and their pixels are marked as used. Finally removes points that
/// the maps of any photos contradict: points in free space would become a surface between the parts of the object.
package struct DepthFusion: Sendable {
    package struct Options: Equatable, Sendable {
        /// The number of maps that have to confirm a point, including its own, 1…10.
        package var minimumViews = 3
        /// The largest reprojection distance of a point that is mapped to another map and back, in pixels of the map.
        package var maximumReprojection: Float = 1.5
        /// The largest relative difference of depths.
        package var maximumDepthDifference: Float = 0.01
        /// The largest angle between normals, degrees.
        package var maximumNormalAngle: Float = 50
        /// Pixels of a lower confidence (0…255) are ignored.
        package var minimumConfidence: UInt8 = 1
        /// Points that this many maps contradict are removed, 1…255; 0 keeps them.
        package var minimumContradictions: UInt8 = 2
        /// Pixels of at least this confidence (0…255) can contradict points.
        package var minimumContradictionConfidence: UInt8 = 100
        /// Points that photos show outside of their masks are removed: known free space. The masks are grown by this fraction of the photos' longer side, and
        /// at least by a pixel, or shrunk if it is negative. nil: masks select the pixels of maps only.
        package var maskMargin: Double?
        /// Points outside are dropped; nil keeps all.
        package var bounds: OrientedBox?
        /// Points outside are left to other blocks; nil: there are none.
        package var block: Block?
        /// The limit for maps and photos in memory, bytes. Beyond it, the least recently used ones are loaded again.
        package var memory = 512 << 20

        package init() {}
    }

    package let options: Options

    package init(options: Options = Options()) { self.options = options }

    /// Fuses depth maps to points.
    ///
    /// - Parameters:
    ///   - count: The number of maps.
    ///   - sources: For each map the indices of the maps that may confirm it.
    ///   - map: Loads a map by its index; nil for a missing map. Called again for maps that were released.
    ///   - view: Loads the photo of a map, for its colours and mask.
    ///   - isObserved: By map whether it may have points in or near the block: others are not loaded.
    ///   - silhouettes: By map the mask, of any size, outside of which points are removed with `maskMargin`. Default, and nil for a map: the photo's mask.
    ///   - foregrounds: By map a mask, of any size, 0 where the photo shows the background for certain. Points that most of the photos that observe them
    ///     show there are removed. nil: not known.
    /// - Throws: `DenseError.malformedMap` for a map that does not belong to its view, `CancellationError`, and the errors of `map` and `view`.
    package func fuse(
        count: Int, sources: [[Int]], map: @escaping (Int) throws -> DepthMap?, view: @escaping (Int) throws -> PhotoView,
        isObserved: (Int) -> Bool = { _ in true }, silhouettes: [MaskPlane?] = [], foregrounds: [MaskPlane?] = [],
        in context: StageContext = StageContext()
    ) throws -> OrientedPoints {
        guard sources.count == count else { throw DenseError.option("\(sources.count) lists of sources for \(count) maps") }
        var store = FusionStore(limit: options.memory, map: map, view: view)
        var points = OrientedPoints()
        var tested: [Int] = []
        for index in 0..<count {
            try context.checkCancellation()
            context.report(0.9 * Double(index) / Double(count))
            guard isObserved(index), let reference = try store.fetch(index) else { continue }
            tested.append(index)
            guard reaches(reference, in: context) else { continue }
            var others: [FusionMap] = []
            for source in sources[index] where source != index && (0..<count).contains(source) {
                if let other = try store.fetch(source) { others.append(other) }
            }
            let rows = FusionMap.withPixels(of: [reference] + others) { pixels in
                context.parallel.map(reference.map.height) { row($0, of: pixels[0], pixels.dropFirst()) }
            }
            for row in rows {
                points.append(row.points)
                for (other, pixel) in row.spent { others[other].spent.insert(pixel) }
            }
        }
        points = try withoutContradicted(
            points, maps: tested, store: store, in: context.part(from: 0.9, to: 1))
        if let margin = options.maskMargin {
            points = try withoutMasked(points, maps: tested, store: store, silhouettes: silhouettes, margin: margin, in: context)
        }
        if foregrounds.contains(where: { $0 != nil }) {
            points = try withoutBackground(points, maps: tested, store: store, foregrounds: foregrounds, in: context)
        }
        context.report(1)
        return points
    }

    /// Whether a map has a point in or near the block.
    private func reaches(_ reference: FusionMap, in context: StageContext) -> Bool {
        guard options.block != nil else { return true }
        return FusionMap.withPixels(of: [reference]) { pixels in
            let map = pixels[0]
            return context.parallel.map(map.height) { y in
                (0..<map.width).contains { x in
                    let depth = map.depths[y * map.width + x]
                    return depth > 0 && isNear(map.pointInWorld(x, y), depth: depth)
                }
            }.contains(true)
        }
    }

    /// Whether a point at a depth of a map is in or near the block.
    private func isNear(_ point: Vector3d, depth: Float) -> Bool {
        options.block?.isNear(point, within: Block.reach * Double(depth)) ?? true
    }
}

/// The points that one row of a map gives.
struct FusedRow: Sendable {
    var points = OrientedPoints()
    /// The pixels that the points cover: an index into the sources and a pixel there.
    var spent: [(other: Int, pixel: Int)] = []
}

/// A map's observation of a point.
private struct PointObservation {
    var other: Int
    var pixel: Int
    var position: Vector3d
    var weight: Double
}

extension DepthFusion {
    /// The points of one row of the reference's map.
    private func row(_ y: Int, of map: FusionPixels, _ others: ArraySlice<FusionPixels>) -> FusedRow {
        others.withUnsafeBufferPointer { row(y, of: map, $0) }
    }

    private func row(_ y: Int, of map: FusionPixels, _ others: UnsafeBufferPointer<FusionPixels>) -> FusedRow {
        var result = FusedRow()
        var observations: [PointObservation] = []
        for x in 0..<map.width {
            let index = y * map.width + x
            guard map.depths[index] > 0, map.confidences[index] >= options.minimumConfidence, !map.isSpent(index) else {
                continue
            }
            guard map.showsObject(x, y) else { continue }
            let position = map.pointInWorld(x, y)
            guard isNear(position, depth: map.depths[index]) else { continue }
            let normal = map.normalInWorld(index)
            observations.removeAll(keepingCapacity: true)
            var conflicts = 0
            for other in others.indices {
                switch judge(position, normal, x, y, map, others[other]) {
                case .agrees(let pixel, let point, let weight):
                    observations.append(PointObservation(other: other, pixel: pixel, position: point, weight: weight))
                case .seesThrough: conflicts += 1
                case .saysNothing: break
                }
            }
            guard observations.count + 1 >= options.minimumViews, conflicts <= observations.count else { continue }
            append(position, normal, x, y, map, others, observations, &result)
        }
        return result
    }

    private enum Judgement {
        case agrees(pixel: Int, point: Vector3d, weight: Double)
        /// The source's map has a surface behind the point, which the point would occlude.
        case seesThrough
        case saysNothing
    }

    private func judge(
        _ position: Vector3d, _ normal: Vector3, _ x: Int, _ y: Int, _ reference: FusionPixels, _ map: FusionPixels
    ) -> Judgement {
        let inSource = map.camera.cameraFromWorld * position
        guard inSource.z > 0 else { return .saysNothing }
        let projected = map.camera.intrinsics.project(inSource)
        guard projected.x >= 0, projected.y >= 0, projected.x < Double(map.width), projected.y < Double(map.height) else {
            return .saysNothing
        }
        let (column, row) = (Int(projected.x), Int(projected.y))
        let pixel = row * map.width + column
        guard map.showsObject(column, row) else { return .seesThrough }
        let depth = Double(map.depths[pixel])
        guard depth > 0, map.confidences[pixel] >= options.minimumConfidence else { return .saysNothing }
        let tolerance = Double(options.maximumDepthDifference)
        guard abs(depth - inSource.z) <= tolerance * inSource.z else {
            return depth > inSource.z * (1 + 2 * tolerance) ? .seesThrough : .saysNothing
        }
        let point = map.pointInWorld(column, row)
        // Transfers only the depth back to the reference, so that rounding to the source's pixel does not count as an error of the map.
        let moved = map.worldFromCamera * (inSource * (depth / inSource.z))
        let back = reference.camera.project(moved)
        let offset = length(back - Vector2d(Double(x) + 0.5, Double(y) + 0.5))
        guard offset <= Double(options.maximumReprojection) else { return .saysNothing }
        let cosine = dot(normal, map.normalInWorld(pixel))
        guard cosine >= cos(options.maximumNormalAngle * .pi / 180) else { return .saysNothing }
        return .agrees(pixel: pixel, point: point, weight: Double(map.confidences[pixel]) / (depth * depth))
    }

    private func append(
        _ position: Vector3d, _ normal: Vector3, _ x: Int, _ y: Int, _ map: FusionPixels, _ others: UnsafeBufferPointer<FusionPixels>,
        _ observations: [PointObservation], _ result: inout FusedRow
    ) {
        let index = y * map.width + x
        let depth = Double(map.depths[index])
        let ownWeight = Double(map.confidences[index]) / (depth * depth)
        var (sum, total) = (position * ownWeight, ownWeight)
        var normals = normal * Float(ownWeight)
        var colors = map.color(x, y) * Float(ownWeight)
        var confidence = Float(map.confidences[index])
        for observation in observations {
            let source = others[observation.other]
            sum += observation.position * observation.weight
            total += observation.weight
            normals += source.normalInWorld(observation.pixel) * Float(observation.weight)
            colors += source.color(observation.pixel % source.width, observation.pixel / source.width) * Float(observation.weight)
            confidence += Float(source.confidences[observation.pixel])
            result.spent.append((observation.other, observation.pixel))
        }
        let mean = sum / total
        if let bounds = options.bounds, !bounds.contains(mean) { return }
        if let block = options.block, !block.contains(mean) { return }
        let count = Float(observations.count + 1)
        result.points.positions.append(Vector3(mean))
        result.points.normals.append(normalize(normals))
        let color = (colors / Float(total)).rounded(.toNearestOrAwayFromZero)
        result.points.colors.append(SIMD4(UInt8(clamp(color.x, 0, 255)), UInt8(clamp(color.y, 0, 255)), UInt8(clamp(color.z, 0, 255)), 255))
        result.points.spacings.append(Float(depth / map.camera.intrinsics.focal.x))
        // The largest value with five photos that agree perfectly.
        result.points.confidences.append(min(1, confidence / (255 * max(5, count))))
        result.points.viewIndices.append(UInt16(clamping: map.photo))
        for observation in observations { result.points.viewIndices.append(UInt16(clamping: others[observation.other].photo)) }
        result.points.viewOffsets.append(result.points.viewIndices.count)
    }
}

extension OrientedPoints {
    /// Appends another cloud's points.
    package mutating func append(_ other: OrientedPoints) {
        positions += other.positions
        normals += other.normals
        colors += other.colors
        spacings += other.spacings
        confidences += other.confidences
        let start = viewIndices.count
        viewOffsets += other.viewOffsets.dropFirst().map { $0 + start }
        viewIndices += other.viewIndices
    }
}

/// The space in front of a depth map that is free.
private struct FreeSpace: Sendable {
    let width, height: Int
    /// The pixel and the depth of a point in the world: x and y are multiplied by the depth.
    private let across, down, forward: SIMD4<Float>
    /// For each pixel the smallest depth within `reach` pixels; 0 if one of them has a low confidence.
    private let depths: [Float]
    /// A point beside an edge may project to the wrong side by a pixel or two: only space that is free for the whole neighbourhood counts.
    private static let reach = 2

    init(_ map: DepthMap, minimumConfidence: UInt8) {
        let (intrinsics, pose) = (map.camera.intrinsics, map.camera.cameraFromWorld)
        (width, height) = (map.width, map.height)
        let rows = pose.rotation.transpose
        let axes = [rows.x, rows.y, rows.z]
        let lines = (0..<3).map { SIMD4(axes[$0].x, axes[$0].y, axes[$0].z, pose.translation[$0]) }
        across = SIMD4<Float>(lines[0] * intrinsics.focal.x + lines[2] * intrinsics.center.x)
        down = SIMD4<Float>(lines[1] * intrinsics.focal.y + lines[2] * intrinsics.center.y)
        forward = SIMD4<Float>(lines[2])
        let sure = zip(map.depths, map.confidences).map { $1 >= minimumConfidence ? $0 : 0 }
        depths = FreeSpace.smallest(of: FreeSpace.smallest(of: sure, step: 1), step: width)
    }

    /// The smallest value within `reach` steps before and after. At the ends of rows it includes pixels of other rows, which only decreases it.
    private static func smallest(of values: [Float], step: Int) -> [Float] {
        var result = values
        result.withUnsafeMutableBufferPointer { result in
            values.withUnsafeBufferPointer { values in
                for offset in Swift.stride(from: step, through: min(reach * step, values.count - 1), by: step) {
                    for index in offset..<values.count { result[index] = min(result[index], values[index - offset]) }
                    for index in 0..<values.count - offset { result[index] = min(result[index], values[index + offset]) }
                }
            }
        }
        return result
    }

    /// Whether the map has a surface behind a point: the point, if it existed, would occlude it.
    func contains(_ point: Vector3, tolerance: Float) -> Bool {
        let homogeneous = SIMD4(point, 1)
        let z = (forward * homogeneous).sum()
        guard z > 0 else { return false }
        let (x, y) = ((across * homogeneous).sum() / z, (down * homogeneous).sum() / z)
        guard x >= 0, y >= 0, x < Float(width), y < Float(height) else { return false }
        return depths[Int(y) * width + Int(x)] > z * (1 + 2 * tolerance)
    }
}

/// The space that a photo shows outside of its mask.
private struct MaskedSpace: Sendable {
    private let camera: PosedCamera
    private let mask: MaskPlane

    /// - Parameter margin: See `DepthFusion.Options.maskMargin`. nil: the mask is neither grown nor shrunk.
    init(_ mask: MaskPlane, camera: PosedCamera, margin: Double?) {
        self.camera = PosedCamera(
            intrinsics: camera.intrinsics.resized(width: mask.width, height: mask.height), cameraFromWorld: camera.cameraFromWorld)
        guard let margin else {
            self.mask = mask
            return
        }
        let pixels = max(1, Int((abs(margin) * Double(max(mask.width, mask.height))).rounded()))
        self.mask = MaskedSpace.grown(mask, by: margin < 0 ? -pixels : pixels)
    }

    /// The mask grown by some pixels, or shrunk if the number is negative. Beyond the image everything is like its border.
    private static func grown(_ mask: MaskPlane, by margin: Int) -> MaskPlane {
        let (width, height) = (mask.width, mask.height)
        /// Whether a pixel within the margin decides about `values[index]`: one of the object if the mask grows, else one of the background.
        func spread(_ values: [UInt8], _ index: Int, _ position: Int, _ length: Int, _ step: Int) -> UInt8 {
            let reach = abs(margin)
            for offset in max(-reach, -position)...min(reach, length - 1 - position)
            where (values[index + offset * step] != 0) == (margin > 0) {
                return margin > 0 ? 255 : 0
            }
            return margin > 0 ? 0 : 255
        }
        let rows = (0..<width * height).map { spread(mask.values, $0, $0 % width, width, 1) }
        return MaskPlane(width: width, height: height, values: (0..<width * height).map { spread(rows, $0, $0 / width, height, width) })
    }

    /// Whether the photo shows a point outside of its mask; nil if it does not show the point.
    func contains(_ point: Vector3) -> Bool? {
        let inCamera = camera.cameraFromWorld * Vector3d(point)
        guard inCamera.z > 0 else { return nil }
        let pixel = camera.intrinsics.project(inCamera)
        guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(mask.width), pixel.y < Double(mask.height) else { return nil }
        return mask[Int(pixel.x), Int(pixel.y)] == 0
    }
}

extension DepthFusion {
    /// The largest number of maps that are tested; of more maps, every n-th.
    private static let maximumTestedMaps = 64

    private func tested(_ maps: [Int]) -> [Int] {
        let stride = max(1, (maps.count + DepthFusion.maximumTestedMaps - 1) / DepthFusion.maximumTestedMaps)
        return Swift.stride(from: 0, to: maps.count, by: stride).map { maps[$0] }
    }

    /// The cloud without the points that `minimumContradictions` maps contradict.
    ///
    /// - Parameter maps: The indices of the maps.
    func withoutContradicted(
        _ points: OrientedPoints, maps: [Int], store: FusionStore, in context: StageContext
    ) throws -> OrientedPoints {
        guard options.minimumContradictions > 0 else { return points }
        var counts = [UInt8](repeating: 0, count: points.count)
        for (number, index) in tested(maps).enumerated() {
            try context.checkCancellation()
            context.report(Double(number) / Double(DepthFusion.maximumTestedMaps))
            guard let map = try store.map(at: index) else { continue }
            let space = FreeSpace(map, minimumConfidence: options.minimumContradictionConfidence)
            counts.withUnsafeMutableBufferPointer { buffer in
                // Each chunk writes its own points only.
                nonisolated(unsafe) let counts = buffer
                context.parallel.forEachChunk(of: points.count, size: 1 << 14) { chunk in
                    for point in chunk where space.contains(points.positions[point], tolerance: options.maximumDepthDifference) {
                        counts[point] &+= 1
                    }
                }
            }
        }
        return points.filtered { counts[$0] < options.minimumContradictions }
    }

    /// The cloud without the points that at least two photos, and a sixth of those that show them, show outside of their masks.
    func withoutMasked(
        _ points: OrientedPoints, maps: [Int], store: FusionStore, silhouettes: [MaskPlane?], margin: Double, in context: StageContext
    ) throws -> OrientedPoints {
        var shown = [UInt8](repeating: 0, count: points.count)
        var masked = shown
        for index in tested(maps) {
            try context.checkCancellation()
            guard let view = try store.view(at: index), let mask = (index < silhouettes.count ? silhouettes[index] : nil) ?? view.mask
            else {
                continue
            }
            let silhouette = MaskedSpace(mask, camera: view.camera, margin: margin)
            shown.withUnsafeMutableBufferPointer { shownBuffer in
                masked.withUnsafeMutableBufferPointer { maskedBuffer in
                    // Each chunk writes its own points only.
                    nonisolated(unsafe) let (shown, masked) = (shownBuffer, maskedBuffer)
                    context.parallel.forEachChunk(of: points.count, size: 1 << 14) { chunk in
                        for point in chunk {
                            guard let isMasked = silhouette.contains(points.positions[point]) else { continue }
                            shown[point] &+= 1
                            if isMasked { masked[point] &+= 1 }
                        }
                    }
                }
            }
        }
        return points.filtered { masked[$0] < 2 || 6 * Int(masked[$0]) < Int(shown[$0]) }
    }

    /// The cloud without the points that at least two of the photos that observe them, and more than half of these, show as background.
    func withoutBackground(
        _ points: OrientedPoints, maps: [Int], store: FusionStore, foregrounds: [MaskPlane?], in context: StageContext
    ) throws -> OrientedPoints {
        var silhouettes: [UInt16: MaskedSpace] = [:]
        for index in maps where index < foregrounds.count {
            try context.checkCancellation()
            guard let foreground = foregrounds[index], let view = try store.view(at: index) else { continue }
            silhouettes[UInt16(clamping: view.photo)] = MaskedSpace(foreground, camera: view.camera, margin: nil)
        }
        let isBackground = context.parallel.map(points.count) { [silhouettes] point in
            let photos = points.viewIndices[points.viewOffsets[point]..<points.viewOffsets[point + 1]]
            let count = photos.count { silhouettes[$0]?.contains(points.positions[point]) ?? false }
            return count >= 2 && 2 * count > photos.count
        }
        return points.filtered { !isBackground[$0] }
    }
}
