import VitrineMath
import VitrineVision

extension PlaneFinder {
    /// Flat patches that no plane explains grow into regions, the nearest first, and regions into new planes.
    mutating func findRegions(_ cloud: DepthCloud, explained: [Bool]) {
        var isFree = cloud.patches.indices.map { cloud.patches[$0].isFlat && !cloud.isExplained($0, explained) }
        let seeds = cloud.patches.indices.filter { isFree[$0] }.sorted {
            (cloud.patches[$0].depth, $0) < (cloud.patches[$1].depth, $1)
        }
        for seed in seeds where isFree[seed] {
            let region = Self.region(cloud, seed, &isFree)
            guard region.count >= 3 else { continue }
            makePlane(cloud, region, explained)
        }
    }

    /// Neighbouring patches that lie on one plane.
    private static func region(_ cloud: DepthCloud, _ seed: Int, _ isFree: inout [Bool]) -> [Int] {
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
                // 18°: a patch's own normal is only that good.
                guard isFree[index], dot(patch.normal, normal) > 0.951 else { continue }
                let distance = abs(dot(normal, patch.center - centers / Double(region.count)))
                guard distance < 1.5 * DepthCloud.tolerance(patch.depth) else { continue }
                isFree[index] = false
                region.append(index)
                normals += patch.normal
                centers += patch.center
            }
        }
        return region
    }

    private mutating func makePlane(_ cloud: DepthCloud, _ region: [Int], _ explained: [Bool]) {
        var (normal, center) = (Vector3d.zero, Vector3d.zero)
        for patch in region {
            normal += cloud.patches[patch].normal
            center += cloud.patches[patch].center
        }
        normal = normalize(normal)
        center /= Double(region.count)
        // Within 14° of level or upright; the fit then decides.
        guard let alignment = Self.alignment(normal, within: 0.25), settings.finds.contains(alignment) else { return }
        let snapped = alignment == .horizontal ? Vector3d(0, normal.y > 0 ? 1 : -1, 0) : Vector3d(normal.x, 0, normal.z)
        let frame = PlaneEvidence.frame(normal: snapped, origin: center, alignment: alignment)
        var one = PlaneEvidence(id: -1, alignment: alignment, worldFromPlane: frame)
        let samples = region.flatMap { cloud.indices(ofPatch: $0) }.map { cloud.samples[$0] }.filter { $0.depth > 0 }
        let heights = samples.map { sample in
            let local = one.local(sample.position)
            // Half a centimetre at one metre, and as it falls off; a quarter of the samples err alike.
            let deviation = 2 * DepthCloud.tolerance(sample.depth)
            return HeightFit.Sample(x: local.x, z: local.z, height: local.y, weight: 1 / (deviation * deviation))
        }
        guard let fit = HeightFit(heights, prior: one.prior(settings)) else { return }
        one.correct(by: fit)
        guard one.tilt <= settings.tiltLimit else { return }
        var area = 0.0
        for sample in samples { area += Double(cloud.share(of: sample, normal: one.plane.normal)) * CellGrid.cell * CellGrid.cell }
        guard area >= (alignment == .horizontal ? settings.horizontalArea : settings.verticalArea) else { return }
        guard let i = make(alignment, one.plane.worldFromPlane) else { return }
        for sample in samples {
            let local = evidence[i].local(sample.position)
            guard abs(local.y) < DepthCloud.tolerance(sample.depth) else { continue }
            evidence[i].cells.add(
                local.x, local.z, height: local.y, weight: cloud.share(of: sample, normal: evidence[i].plane.normal))
        }
        (evidence[i].isFresh, evidence[i].confirmations) = (true, 1)
    }

    /// How a normal lies to gravity, where it is within `sine` of it.
    static func alignment(_ normal: Vector3d, within sine: Double) -> PlaneAlignment? {
        if abs(normal.y) < sine { return .vertical }
        return normal.y * normal.y > 1 - sine * sine ? .horizontal : nil
    }
}

extension DepthCloud {
    func firstSample(ofPatch patch: Int) -> Int {
        patch / patchColumns * Self.patchSize * columns + patch % patchColumns * Self.patchSize
    }

    /// A patch's samples.
    func indices(ofPatch patch: Int) -> [Int] {
        let first = firstSample(ofPatch: patch)
        return (0..<(Self.patchSize * Self.patchSize)).map { first + $0 / Self.patchSize * columns + $0 % Self.patchSize }
    }

    /// Whether planes have claimed half of a patch.
    func isExplained(_ patch: Int, _ claimed: [Bool]) -> Bool {
        var count = 0
        let first = firstSample(ofPatch: patch)
        for y in 0..<Self.patchSize {
            for x in 0..<Self.patchSize where claimed[first + y * columns + x] { count += 1 }
        }
        return 2 * count >= Self.patchSize * Self.patchSize
    }
}
