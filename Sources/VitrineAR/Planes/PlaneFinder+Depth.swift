import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Gives depth to the planes that it lies on; which samples were given away.
    mutating func claim(_ cloud: DepthCloud) -> [Bool] {
        var claimed = [Bool](repeating: false, count: cloud.samples.count)
        let reaches = evidence.map(Reach.init)
        var gained = [Float](repeating: 0, count: evidence.count)
        for row in 0..<(cloud.patchRows * DepthCloud.patchSize) {
            for column in 0..<(cloud.patchColumns * DepthCloud.patchSize) {
                let i = row * cloud.columns + column
                let sample = cloud.samples[i]
                guard sample.depth > 0 else { continue }
                let patch = cloud.patches[row / DepthCloud.patchSize * cloud.patchColumns + column / DepthCloud.patchSize]
                guard let (owner, local) = owner(of: sample, patch, reaches) else { continue }
                claimed[i] = true
                let weight = cloud.share(of: sample, normal: evidence[owner].plane.normal)
                evidence[owner].cells.add(local.x, local.z, height: local.y, weight: weight)
                gained[owner] += weight
            }
        }
        for i in evidence.indices where gained[i] > 0 {
            evidence[i].isFresh = true
            if Double(gained[i]) * CellGrid.cell * CellGrid.cell > 0.3 * min(evidence[i].cells.area, 0.2) { evidence[i].isSupported = true }
        }
        return claimed
    }

    /// Where a plane may grow within one search: a quarter of a metre beyond what is known of it.
    private struct Reach {
        let mask: Mask?
        let left, top: Int
        static let cells = 5

        init(_ one: PlaneEvidence) {
            guard one.cells.width > 0 else {
                (mask, left, top) = (nil, 0, 0)
                return
            }
            var mask = Mask(width: one.cells.width + 2 * Self.cells, height: one.cells.height + 2 * Self.cells)
            for i in one.cells.weights.indices where one.cells.isOccupied(i) {
                mask.values[(i / one.cells.width + Self.cells) * mask.width + i % one.cells.width + Self.cells] = true
            }
            mask.grow(Self.cells)
            self.mask = mask
            (left, top) = (one.cells.left - Self.cells, one.cells.top - Self.cells)
        }

        func contains(_ local: Vector3d, _ plane: FoundPlane) -> Bool {
            guard let mask else { return plane.isNearRectangle(local, margin: 0.25) }
            let (column, row) = (CellGrid.index(local.x) - left, CellGrid.index(local.z) - top)
            return column >= 0 && row >= 0 && column < mask.width && row < mask.height && mask.values[row * mask.width + column]
        }
    }

    private func owner(of sample: DepthCloud.Sample, _ patch: DepthCloud.Patch, _ reaches: [Reach]) -> (Int, Vector3d)? {
        let tolerance = min(DepthCloud.tolerance(sample.depth), 0.06)
        var (best, result) = (Double.infinity, (Int, Vector3d)?.none)
        for i in evidence.indices {
            let distance = abs(evidence[i].plane.distance(to: sample.position))
            // At edges, where there is no normal, only what lies close.
            guard distance < (patch.isFlat ? tolerance : 0.5 * tolerance), distance < best else { continue }
            // 25°.
            guard !patch.isFlat || dot(patch.normal, evidence[i].plane.normal) > 0.906 else { continue }
            let local = evidence[i].local(sample.position)
            guard reaches[i].contains(local, evidence[i].plane) else { continue }
            (best, result) = (distance, (i, local))
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
