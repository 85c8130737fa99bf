import VitrineMath
import VitrineVision

/// The points that one row of a map gives.
struct FusedRow: Sendable {
    var points = OrientedPoints()
    /// What they cover: an index into the sources and a pixel there.
    var spent: [(other: Int, pixel: Int)] = []
}

/// One map's sight of a point.
private struct Sighting {
    var other: Int
    var pixel: Int
    var position: Vector3d
    var weight: Double
}

extension DepthFusion {
    /// The points of one row of the reference's map.
    func row(_ y: Int, of reference: FusionMap, _ others: [FusionMap]) -> FusedRow {
        var result = FusedRow()
        let map = reference.map
        var sightings: [Sighting] = []
        for x in 0..<map.width {
            let index = y * map.width + x
            guard map.depths[index] > 0, map.confidences[index] >= options.minimumConfidence, !reference.spent.pixels[index] else {
                continue
            }
            if let mask = reference.view.mask, !mask.covers(x, y, of: map.width, map.height) { continue }
            let position = map.pointInWorld(x: x, y: y, worldFromCamera: reference.worldFromCamera)
            let normal = reference.normalInWorld(index)
            sightings.removeAll(keepingCapacity: true)
            var conflicts = 0
            for (other, source) in others.enumerated() {
                switch judge(position, normal, x, y, reference, source) {
                case .agrees(let pixel, let point, let weight):
                    sightings.append(Sighting(other: other, pixel: pixel, position: point, weight: weight))
                case .seesThrough: conflicts += 1
                case .saysNothing: break
                }
            }
            guard sightings.count + 1 >= options.minimumViews, conflicts <= sightings.count else { continue }
            append(position, normal, x, y, reference, others, sightings, &result)
        }
        return result
    }

    private enum Judgement {
        case agrees(pixel: Int, point: Vector3d, weight: Double)
        /// The source's map shows something behind the point: were the point there, it would hide it.
        case seesThrough
        case saysNothing
    }

    private func judge(
        _ position: Vector3d, _ normal: Vector3, _ x: Int, _ y: Int, _ reference: FusionMap, _ source: FusionMap
    ) -> Judgement {
        let map = source.map
        let inSource = map.camera.cameraFromWorld * position
        guard inSource.z > 0 else { return .saysNothing }
        let place = map.camera.intrinsics.project(inSource)
        guard place.x >= 0, place.y >= 0, place.x < Double(map.width), place.y < Double(map.height) else { return .saysNothing }
        let (column, row) = (Int(place.x), Int(place.y))
        let pixel = row * map.width + column
        if let mask = source.view.mask, !mask.covers(column, row, of: map.width, map.height) { return .seesThrough }
        let depth = Double(map.depths[pixel])
        guard depth > 0, map.confidences[pixel] >= options.minimumConfidence else { return .saysNothing }
        let tolerance = Double(options.maximumDepthDifference)
        guard abs(depth - inSource.z) <= tolerance * inSource.z else {
            return depth > inSource.z * (1 + 2 * tolerance) ? .seesThrough : .saysNothing
        }
        let point = map.pointInWorld(x: column, y: row, worldFromCamera: source.worldFromCamera)
        // Back in the reference: rounding to the source's pixel is not the map's fault, so the depth alone is carried over.
        let moved = source.worldFromCamera * (inSource * (depth / inSource.z))
        let back = reference.map.camera.project(moved)
        let offset = length(back - Vector2d(Double(x) + 0.5, Double(y) + 0.5))
        guard offset <= Double(options.maximumReprojection) else { return .saysNothing }
        let cosine = dot(normal, source.normalInWorld(pixel))
        guard cosine >= cos(options.maximumNormalAngle * .pi / 180) else { return .saysNothing }
        return .agrees(pixel: pixel, point: point, weight: Double(map.confidences[pixel]) / (depth * depth))
    }

    private func append(
        _ position: Vector3d, _ normal: Vector3, _ x: Int, _ y: Int, _ reference: FusionMap, _ others: [FusionMap],
        _ sightings: [Sighting], _ result: inout FusedRow
    ) {
        let map = reference.map
        let index = y * map.width + x
        let depth = Double(map.depths[index])
        let ownWeight = Double(map.confidences[index]) / (depth * depth)
        var (sum, total) = (position * ownWeight, ownWeight)
        var normals = normal * Float(ownWeight)
        var colors = reference.color(x, y) * Float(ownWeight)
        var confidence = Float(map.confidences[index])
        for sighting in sightings {
            let source = others[sighting.other]
            sum += sighting.position * sighting.weight
            total += sighting.weight
            normals += source.normalInWorld(sighting.pixel) * Float(sighting.weight)
            colors += source.color(sighting.pixel % source.map.width, sighting.pixel / source.map.width) * Float(sighting.weight)
            confidence += Float(source.map.confidences[sighting.pixel])
            result.spent.append((sighting.other, sighting.pixel))
        }
        let mean = sum / total
        if let bounds = options.bounds, !bounds.contains(mean) { return }
        let count = Float(sightings.count + 1)
        result.points.positions.append(Vector3(mean))
        result.points.normals.append(normalize(normals))
        let color = (colors / Float(total)).rounded(.toNearestOrAwayFromZero)
        result.points.colors.append(SIMD4(UInt8(clamp(color.x, 0, 255)), UInt8(clamp(color.y, 0, 255)), UInt8(clamp(color.z, 0, 255)), 255))
        result.points.spacings.append(Float(depth / map.camera.intrinsics.focal.x))
        // Full with five photos that agree perfectly.
        result.points.confidences.append(min(1, confidence / (255 * max(5, count))))
        result.points.viewIndices.append(UInt16(clamping: reference.view.photo))
        for sighting in sightings { result.points.viewIndices.append(UInt16(clamping: others[sighting.other].view.photo)) }
        result.points.viewOffsets.append(result.points.viewIndices.count)
    }
}

extension FusionMap {
    func normalInWorld(_ pixel: Int) -> Vector3 { Vector3(worldFromCamera.rotation * Vector3d(map.normalInCamera(pixel))) }

    /// The photo's colour at a pixel of the map, 0…255.
    func color(_ x: Int, _ y: Int) -> Vector3 {
        let photo = view.color
        let column = min(photo.width - 1, (2 * x + 1) * photo.width / (2 * map.width))
        let row = min(photo.height - 1, (2 * y + 1) * photo.height / (2 * map.height))
        let index = (row * photo.width + column) * 3
        return Vector3(Float(photo.values[index]), Float(photo.values[index + 1]), Float(photo.values[index + 2]))
    }
}

extension DepthMap {
    /// `pointInWorld` with the inverse of the camera's pose at hand.
    func pointInWorld(x: Int, y: Int, worldFromCamera: RigidTransform) -> Vector3d {
        let intrinsics = camera.intrinsics
        let depth = Double(depths[y * width + x])
        let ray = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - intrinsics.center) / intrinsics.focal
        return worldFromCamera * Vector3d(ray.x * depth, ray.y * depth, depth)
    }
}

extension OrientedPoints {
    /// Adds another cloud's points behind these.
    mutating func append(_ other: OrientedPoints) {
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
