import VitrineMath
import VitrineVision

/// Assigns a depth image to planes and searches the rest for new ones.
struct DepthPlaneSearch {
    let cloud: DepthPointCloud
    let settings: PlaneDetector.Settings

    // MARK: Known planes

    /// Adds the depth samples that lie on planes to them.
    ///
    /// - Returns: For each sample whether a plane claimed it.
    func assign(to planes: inout [PlaneHypothesis]) -> [Bool] {
        var claimed = [Bool](repeating: false, count: cloud.samples.count)
        let regions = planes.map(GrowthRegion.init)
        var gained = [Float](repeating: 0, count: planes.count)
        for patchIndex in cloud.patches.indices {
            let patch = cloud.patches[patchIndex]
            let first = cloud.firstSample(ofPatch: patchIndex)
            for y in 0..<DepthPointCloud.patchSize {
                for i in (first + y * cloud.columns)..<(first + y * cloud.columns + DepthPointCloud.patchSize) {
                    let sample = cloud.samples[i]
                    guard sample.depth > 0, let owner = Self.owner(of: sample, patch, regions) else { continue }
                    claimed[i] = true
                    let local = regions[owner].local(sample.position)
                    let weight = cloud.coverage(of: sample, normal: regions[owner].frame.rotation.y)
                    planes[owner].grid.add(local.x, local.z, height: local.y, weight: weight)
                    gained[owner] += weight
                }
            }
        }
        for i in planes.indices where gained[i] > 0 {
            planes[i].hasNewEvidence = true
            let area = Double(gained[i]) * PlaneGrid.cellSize * PlaneGrid.cellSize
            if area > 0.3 * min(planes[i].grid.area, 0.2) { planes[i].isSupported = true }
        }
        return claimed
    }

    /// A plane's frame and the region into which it may grow within one search: a quarter to half a metre beyond its known extent, in squares of
    /// five cells.
    private struct GrowthRegion {
        let frame: RigidTransform
        private let mask: BinaryMask?
        private let left, top: Int
        private let center: Vector3d
        private let half, along: Vector2d
        private static let cells = 5

        init(_ plane: PlaneHypothesis) {
            frame = plane.plane.worldFromPlane
            let rectangle = plane.plane.rectangle
            center = plane.plane.center
            half = Vector2d(rectangle.width / 2 + 0.25, rectangle.height / 2 + 0.25)
            along = Vector2d(cos(rectangle.rotationOnYAxis), sin(rectangle.rotationOnYAxis))
            let (grid, margin) = (plane.grid, 2 * Self.cells)
            (left, top) = (grid.left - margin, grid.top - margin)
            guard grid.width > 0 else {
                mask = nil
                return
            }
            var mask = BinaryMask(width: (grid.width + 2 * margin) / Self.cells + 1, height: (grid.height + 2 * margin) / Self.cells + 1)
            var i = 0
            for row in 0..<grid.height {
                let start = (row + margin) / Self.cells * mask.width
                for column in 0..<grid.width {
                    if grid.isOccupied(i) { mask.values[start + (column + margin) / Self.cells] = true }
                    i += 1
                }
            }
            mask.dilate(1)
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
            let (column, row) = ((PlaneGrid.index(local.x) - left) / Self.cells, (PlaneGrid.index(local.z) - top) / Self.cells)
            return column > 0 && row > 0 && column < mask.width && row < mask.height && mask.values[row * mask.width + column]
        }
    }

    private static func owner(
        of sample: DepthPointCloud.Sample, _ patch: DepthPointCloud.Patch, _ regions: [GrowthRegion]
    ) -> Int? {
        // At edges, where there is no normal, the tolerance is halved.
        let tolerance = min(DepthPointCloud.tolerance(sample.depth), 0.06) * (patch.isFlat ? 1 : 0.5)
        var (best, result) = (tolerance, Int?.none)
        for i in regions.indices {
            let distance = abs(regions[i].height(sample.position))
            // Normals within 25°.
            guard distance < best, !patch.isFlat || dot(patch.normal, regions[i].frame.rotation.y) > 0.906 else { continue }
            guard regions[i].contains(regions[i].local(sample.position)) else { continue }
            (best, result) = (distance, i)
        }
        return result
    }

    /// Weakens the cells of planes through which the camera sees a surface behind.
    func fadeSeenThrough(_ planes: inout [PlaneHypothesis]) {
        for p in planes.indices {
            let frame = planes[p].plane.worldFromPlane
            for i in planes[p].grid.weights.indices where planes[p].grid.weights[i] > 0 {
                let center = planes[p].grid.center(of: i)
                let world = frame * Vector3d(center.x, 0, center.y)
                let inCamera = cloud.cameraFromWorld * world
                guard inCamera.z > 0.3, inCamera.z < settings.maximumDepth else { continue }
                // At grazing angles, a small pose error looks like a hole.
                let facing = dot(frame.rotation.y, cloud.worldFromCamera.translation - world)
                guard facing > 0.2 * length(inCamera), cloud.isBehind(inCamera) else { continue }
                planes[p].grid.fade(at: i, by: 1)
                planes[p].hasNewEvidence = true
            }
        }
    }

    // MARK: New planes

    /// Grows flat patches that no plane explains into regions, nearest first, and fits planes to the regions.
    ///
    /// - Parameter claimed: Whether a plane claimed each sample.
    func newPlanes(claimed: [Bool]) -> [PlaneProposal] {
        var isFree = cloud.patches.indices.map { cloud.patches[$0].isFlat && !cloud.isExplained($0, claimed) }
        let seeds = cloud.patches.indices.filter { isFree[$0] }.sorted {
            (cloud.patches[$0].depth, $0) < (cloud.patches[$1].depth, $1)
        }
        var proposals: [PlaneProposal] = []
        for seed in seeds where isFree[seed] {
            let region = region(seed, &isFree)
            if region.count >= 3, let proposal = proposal(region) { proposals.append(proposal) }
        }
        return proposals
    }

    /// Connected patches on one plane.
    private func region(_ seed: Int, _ isFree: inout [Bool]) -> [Int] {
        var (region, next) = ([seed], 0)
        var (normals, centers) = (cloud.patches[seed].normal, cloud.patches[seed].center)
        isFree[seed] = false
        while next < region.count {
            let (column, row) = (region[next] % cloud.patchColumns, region[next] / cloud.patchColumns)
            next += 1
            for (x, y) in [(column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1)] {
                guard x >= 0, y >= 0, x < cloud.patchColumns, y < cloud.patchRows else { continue }
                let index = y * cloud.patchColumns + x
                let patch = cloud.patches[index]
                let normal = normalize(normals)
                // Normals within 18°, the accuracy of a single patch.
                guard isFree[index], dot(patch.normal, normal) > 0.951 else { continue }
                let distance = abs(dot(normal, patch.center - centers / Double(region.count)))
                guard distance < 1.5 * DepthPointCloud.tolerance(patch.depth) else { continue }
                isFree[index] = false
                region.append(index)
                normals += patch.normal
                centers += patch.center
            }
        }
        return region
    }

    private func proposal(_ region: [Int]) -> PlaneProposal? {
        var (normal, center) = (Vector3d.zero, Vector3d.zero)
        for patch in region {
            normal += cloud.patches[patch].normal
            center += cloud.patches[patch].center
        }
        normal = normalize(normal)
        center /= Double(region.count)
        // Horizontal or vertical within 14°; the fit decides.
        guard let alignment = ARPlaneAnchor.Alignment(normal: normal, within: 0.25), settings.alignments.contains(alignment) else {
            return nil
        }
        let snapped = alignment == .horizontal ? Vector3d(0, normal.y > 0 ? 1 : -1, 0) : Vector3d(normal.x, 0, normal.z)
        let frame = PlaneHypothesis.frame(normal: snapped, origin: center, alignment: alignment)
        var plane = PlaneHypothesis(id: -1, alignment: alignment, worldFromPlane: frame)
        let samples = region.flatMap { cloud.indices(ofPatch: $0) }.map { cloud.samples[$0] }.filter { $0.depth > 0 }
        let heights = samples.map { sample in
            let local = plane.local(sample.position)
            // Twice the tolerance, because errors of neighbouring samples are correlated.
            let deviation = 2 * DepthPointCloud.tolerance(sample.depth)
            return HeightFit.Sample(x: local.x, z: local.z, height: local.y, weight: 1 / (deviation * deviation))
        }
        guard let fit = HeightFit(heights, prior: plane.prior(settings)) else { return nil }
        plane.correct(by: fit)
        guard plane.tilt <= settings.maximumTilt else { return nil }
        var area = 0.0
        for sample in samples {
            area += Double(cloud.coverage(of: sample, normal: plane.plane.normal)) * PlaneGrid.cellSize * PlaneGrid.cellSize
        }
        guard area >= (alignment == .horizontal ? settings.horizontalArea : settings.verticalArea) else { return nil }
        // The new hypothesis starts at the corrected frame.
        plane = PlaneHypothesis(id: -1, alignment: alignment, worldFromPlane: plane.plane.worldFromPlane)
        for sample in samples {
            let local = plane.local(sample.position)
            guard abs(local.y) < DepthPointCloud.tolerance(sample.depth) else { continue }
            plane.grid.add(local.x, local.z, height: local.y, weight: cloud.coverage(of: sample, normal: plane.plane.normal))
        }
        return PlaneProposal(hypothesis: plane)
    }
}
