import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Gives depth to the planes that it lies on; which samples were given away.
    mutating func claim(_ cloud: DepthCloud) -> [Bool] {
        var claimed = [Bool](repeating: false, count: cloud.samples.count)
        let reaches = evidence.map(Reach.init)
        var gained = [Float](repeating: 0, count: evidence.count)
        for patchIndex in cloud.patches.indices {
            let patch = cloud.patches[patchIndex]
            let first = cloud.firstSample(ofPatch: patchIndex)
            for y in 0..<DepthCloud.patchSize {
                for i in (first + y * cloud.columns)..<(first + y * cloud.columns + DepthCloud.patchSize) {
                    let sample = cloud.samples[i]
                    guard sample.depth > 0, let owner = Self.owner(of: sample, patch, reaches) else { continue }
                    claimed[i] = true
                    let local = reaches[owner].local(sample.position)
                    let weight = cloud.share(of: sample, normal: reaches[owner].frame.rotation.y)
                    evidence[owner].cells.add(local.x, local.z, height: local.y, weight: weight)
                    gained[owner] += weight
                }
            }
        }
        for i in evidence.indices where gained[i] > 0 {
            evidence[i].isFresh = true
            if Double(gained[i]) * CellGrid.cell * CellGrid.cell > 0.3 * min(evidence[i].cells.area, 0.2) { evidence[i].isSupported = true }
        }
        return claimed
    }

    /// A plane's frame, and where it may grow within one search: a quarter to half a metre beyond what is known of
    /// it, in squares of five cells.
    private struct Reach {
        let frame: RigidTransform
        private let mask: Mask?
        private let left, top: Int
        private let center: Vector3d
        private let half, along: Vector2d
        private static let cells = 5

        init(_ one: PlaneEvidence) {
            frame = one.plane.worldFromPlane
            let rectangle = one.plane.rectangle
            center = one.plane.center
            half = Vector2d(rectangle.width / 2 + 0.25, rectangle.height / 2 + 0.25)
            along = Vector2d(cos(rectangle.rotationOnYAxis), sin(rectangle.rotationOnYAxis))
            let margin = 2 * Self.cells
            (left, top) = (one.cells.left - margin, one.cells.top - margin)
            guard one.cells.width > 0 else {
                mask = nil
                return
            }
            var mask = Mask(
                width: (one.cells.width + 2 * margin) / Self.cells + 1, height: (one.cells.height + 2 * margin) / Self.cells + 1)
            var i = 0
            for row in 0..<one.cells.height {
                let start = (row + margin) / Self.cells * mask.width
                for column in 0..<one.cells.width {
                    if one.cells.isOccupied(i) { mask.values[start + (column + margin) / Self.cells] = true }
                    i += 1
                }
            }
            mask.grow(1)
            self.mask = mask
        }

        func height(_ point: Vector3d) -> Double { dot(frame.rotation.y, point - frame.translation) }

        func local(_ point: Vector3d) -> Vector3d {
            let offset = point - frame.translation
            return Vector3d(dot(frame.rotation.x, offset), dot(frame.rotation.y, offset), dot(frame.rotation.z, offset))
        }

        func contains(_ local: Vector3d) -> Bool {
            guard let mask else {
                let offset = local - center
                return abs(offset.x * along.x - offset.z * along.y) <= half.x && abs(offset.x * along.y + offset.z * along.x) <= half.y
            }
            let (column, row) = ((CellGrid.index(local.x) - left) / Self.cells, (CellGrid.index(local.z) - top) / Self.cells)
            return column > 0 && row > 0 && column < mask.width && row < mask.height && mask.values[row * mask.width + column]
        }
    }

    private static func owner(of sample: DepthCloud.Sample, _ patch: DepthCloud.Patch, _ reaches: [Reach]) -> Int? {
        // At edges, where there is no normal, only what lies close.
        let tolerance = min(DepthCloud.tolerance(sample.depth), 0.06) * (patch.isFlat ? 1 : 0.5)
        var (best, result) = (tolerance, Int?.none)
        for i in reaches.indices {
            let distance = abs(reaches[i].height(sample.position))
            // 25°.
            guard distance < best, !patch.isFlat || dot(patch.normal, reaches[i].frame.rotation.y) > 0.906 else { continue }
            guard reaches[i].contains(reaches[i].local(sample.position)) else { continue }
            (best, result) = (distance, i)
        }
        return result
    }

    /// Takes away from planes where the camera looks through them at something behind.
    mutating func fade(_ cloud: DepthCloud) {
        for p in evidence.indices {
            let frame = evidence[p].plane.worldFromPlane
            for i in evidence[p].cells.weights.indices where evidence[p].cells.weights[i] > 0 {
                let middle = evidence[p].cells.middle(i)
                let world = frame * Vector3d(middle.x, 0, middle.y)
                let inCamera = cloud.cameraFromWorld * world
                guard inCamera.z > 0.3, inCamera.z < settings.depthLimit else { continue }
                // At grazing angles a small error of the pose looks like a hole.
                let facing = dot(frame.rotation.y, cloud.worldFromCamera.translation - world)
                guard facing > 0.2 * length(inCamera), cloud.isBehind(inCamera) else { continue }
                evidence[p].cells.fade(at: i, by: 1)
                evidence[p].isFresh = true
            }
        }
    }
}

extension FoundPlane {
    /// Whether a point in the plane's frame lies over `rectangle` grown by `margin` metres on every side.
    func isNearRectangle(_ local: Vector3d, margin: Double) -> Bool {
        let (sine, cosine) = (sin(rectangle.rotationOnYAxis), cos(rectangle.rotationOnYAxis))
        let offset = local - center
        return abs(offset.x * cosine - offset.z * sine) <= rectangle.width / 2 + margin
            && abs(offset.x * sine + offset.z * cosine) <= rectangle.height / 2 + margin
    }
}

extension DepthCloud {
    /// The share of a cell that a sample covers on a plane with the given normal.
    func share(of sample: Sample, normal: Vector3d) -> Float {
        let ray = worldFromCamera.translation - sample.position
        let cosine = max(0.1, abs(dot(normal, ray)) / length(ray))
        let size = sample.depth * sample.depth / (camera.focal.x * camera.focal.y)
        return Float(min(1, size / cosine / (CellGrid.cell * CellGrid.cell)))
    }

    /// Whether all that is measured around where a point of the camera's frame falls lies clearly behind it.
    func isBehind(_ point: Vector3d) -> Bool {
        let pixel = camera.project(point)
        guard pixel.x >= 1, pixel.y >= 1, pixel.x < Double(columns - 1), pixel.y < Double(rows - 1) else { return false }
        let (column, row) = (Int(pixel.x), Int(pixel.y))
        let nearest = point.z + 2 * Self.tolerance(point.z) + 0.03
        for y in (row - 1)...(row + 1) {
            for x in (column - 1)...(column + 1) where !(samples[y * columns + x].depth > nearest) { return false }
        }
        return true
    }
}
