import VitrineMath
import VitrineVision

/// A photo and its camera at one level of the pyramid.
package struct LeveledPhoto: Sendable {
    package let image: StereoImage
    package let camera: PosedCamera

    /// The photo at sizes halved from `maximumSide`: element 0 is the largest.
    static func pyramid(_ view: PhotoView, maximumSide: Int, levels: Int) -> [LeveledPhoto] {
        let size = view.camera.intrinsics
        let factor = min(1, Double(maximumSide) / Double(max(size.width, size.height)))
        let width = max(1, Int((Double(size.width) * factor).rounded()))
        let height = max(1, Int((Double(size.height) * factor).rounded()))
        var gray = view.color.gray.areaAveraged(width: width, height: height)
        for index in gray.values.indices { gray.values[index] *= 255 }
        let camera = PosedCamera(intrinsics: size.resized(width: width, height: height), cameraFromWorld: view.camera.cameraFromWorld)
        var result = [LeveledPhoto(image: StereoImage(gray: gray), camera: camera)]
        while result.count < levels, let last = result.last {
            result.append(LeveledPhoto(image: last.image.halved(), camera: last.camera.halved))
        }
        return result
    }
}

/// One level of a reference photo, with the working memory of `PatchMatch`.
package final class StereoLevel {
    package let reference: LeveledPhoto
    package let others: [LeveledPhoto]
    package private(set) var solver: PatchMatch
    private var priors: UnsafeMutablePointer<SIMD2<Float>>?
    private let sources: UnsafeMutablePointer<StereoSource>
    private let active: UnsafeMutablePointer<UInt8>
    /// The sources' maps as inverse depths; the solver points into them.
    private var maps: [UnsafeMutablePointer<Float>] = []

    var width: Int { reference.image.width }
    var height: Int { reference.image.height }

    /// Prepares a photo and its sources at one level of the pyramid.
    ///
    /// - Parameter maps: The sources' depth maps for geometric consistency, in the order of the sources; nil for a source without one.
    init(
        reference: LeveledPhoto, sources others: [LeveledPhoto], mask: MaskPlane?, depths: ClosedRange<Float>, viewsPerPixel: Int,
        seed: Int,
        maps: [DepthMap?] = []
    ) {
        (self.reference, self.others) = (reference, others)
        let (width, height) = (reference.image.width, reference.image.height)
        sources = .allocate(capacity: others.count)
        active = .allocate(capacity: width * height)
        for y in 0..<height {
            for x in 0..<width { active[y * width + x] = mask.map { $0.covers(x, y, of: width, height) } ?? true ? 1 : 0 }
        }
        let border = Float(StereoImage.border)
        for (index, other) in others.enumerated() {
            sources[index] = StereoSource(
                fromReference: StereoGeometry(from: reference.camera, to: other.camera), pixels: UnsafePointer(other.image.words),
                stride: Float(other.image.stride), low: SIMD2(border, border),
                high: SIMD2(Float(other.image.width) - 1 + border, Float(other.image.height) - 1 + border),
                fromSource: StereoGeometry(from: other.camera, to: reference.camera))
            guard index < maps.count, let map = maps[index] else { continue }
            let inverse = UnsafeMutablePointer<Float>.allocate(capacity: map.depths.count)
            for (pixel, depth) in map.depths.enumerated() { inverse[pixel] = depth > 0 ? 1 / depth : 0 }
            self.maps.append(inverse)
            sources[index].inverseDepths = UnsafePointer(inverse)
            (sources[index].mapWidth, sources[index].mapHeight) = (Int32(map.width), Int32(map.height))
            sources[index].mapScale = Float(map.camera.intrinsics.focal.x / other.camera.intrinsics.focal.x)
            sources[index].fromSource = StereoGeometry(from: map.camera, to: reference.camera)
        }
        let planes = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: width * height)
        planes.initialize(repeating: .zero, count: width * height)
        let curvatures = UnsafeMutablePointer<SIMD4<Float>>.allocate(capacity: width * height)
        curvatures.initialize(repeating: .zero, count: width * height)
        let viewCosts = UnsafeMutablePointer<UInt8>.allocate(capacity: width * height * others.count)
        viewCosts.initialize(repeating: 255, count: width * height * others.count)
        let intrinsics = reference.camera.intrinsics
        solver = PatchMatch(
            width: width, height: height, focal: SIMD2(Float(intrinsics.focal.x), Float(intrinsics.focal.y)),
            center: SIMD2(Float(intrinsics.center.x - 0.5), Float(intrinsics.center.y - 0.5)),
            reference: UnsafePointer(reference.image.words + StereoImage.border * reference.image.stride + StereoImage.border),
            referenceStride: reference.image.stride, sources: UnsafePointer(sources), sourceCount: others.count, planes: planes,
            curvatures: curvatures, viewCosts: viewCosts, active: UnsafePointer(active),
            inverseDepths: 1 / depths.upperBound...1 / depths.lowerBound,
            viewsPerPixel: viewsPerPixel, seed: UInt32(truncatingIfNeeded: seed))
    }

    deinit {
        sources.deallocate()
        active.deallocate()
        priors?.deallocate()
        solver.planes.deallocate()
        solver.curvatures.deallocate()
        solver.viewCosts.deallocate()
        for map in maps { map.deallocate() }
    }

    /// Adds a sensor's depths as a prior: each pixel of deviation from them costs `weight`, in units of correlation.
    func expect(_ prior: DepthPrior, weight: Float) {
        let expected = UnsafeMutablePointer<SIMD2<Float>>.allocate(capacity: width * height)
        for y in 0..<height {
            for x in 0..<width { expected[y * width + x] = prior.inverseDepth(x, y, of: width, height).map { SIMD2($0, weight) } ?? .zero }
        }
        priors?.deallocate()
        priors = expected
        solver.priors = UnsafePointer(expected)
    }

    /// Initializes the planes from a level of half the size, or of the same size.
    func start(from coarse: StereoLevel) {
        let half = coarse.width < width
        let planes = solver.planes
        for y in 0..<height {
            for x in 0..<width where active[y * width + x] != 0 {
                let (cx, cy) = half ? (min(x / 2, coarse.width - 1), min(y / 2, coarse.height - 1)) : (x, y)
                var plane = coarse.solver.planes[cy * coarse.width + cx]
                guard plane.x > 0 else { continue }
                if half {
                    (plane.y, plane.z) = (plane.y / 2, plane.z / 2)
                    plane.x += plane.y * (Float(x) - (2 * Float(cx) + 0.5)) + plane.z * (Float(y) - (2 * Float(cy) + 0.5))
                }
                planes[y * width + x] = plane
            }
        }
    }

    /// Estimates the curvature of the surface from the initial planes.
    ///
    /// - Parameter coarse: The level of half the size from which the planes come; nil for another initialization.
    func bendPatches(after coarse: StereoLevel?, in context: StageContext) throws {
        try solver.estimateCurvatures(in: context)
        guard let coarse, coarse.width < width else { return }
        let curvatures = coarse.solver.curvatures
        try solver.removeBias(in: context) { x, y in
            curvatures[min(y / 2, coarse.height - 1) * coarse.width + min(x / 2, coarse.width - 1)]
        }
    }

    /// Initializes the planes from a map of this level's size.
    func start(from map: DepthMap) {
        for y in 0..<height {
            for x in 0..<width where active[y * width + x] != 0 && map.depths[y * width + x] > 0 {
                let normal = map.normalInCamera(y * width + x)
                solver.planes[y * width + x] = solver.plane(
                    w: 1 / map.depths[y * width + x], direction: SIMD4(normal, 0), ray: solver.ray(Float(x), Float(y)))
            }
        }
    }
}

extension MaskPlane {
    /// Whether the mask has an object at the centre of a pixel of an image of another size.
    func covers(_ x: Int, _ y: Int, of otherWidth: Int, _ otherHeight: Int) -> Bool {
        values[MaskPlane.index(width, height, at: x, y, of: otherWidth, otherHeight)] != 0
    }

    /// The index of a mask's pixel at the centre of a pixel of an image of another size.
    static func index(_ width: Int, _ height: Int, at x: Int, _ y: Int, of otherWidth: Int, _ otherHeight: Int) -> Int {
        let column = (2 * x + 1) * width / (2 * otherWidth)
        let row = (2 * y + 1) * height / (2 * otherHeight)
        return Swift.min(row, height - 1) * width + Swift.min(column, width - 1)
    }
}

extension StereoLevel {
    /// Initializes the planes from a sensor's depths, facing the camera.
    func start(from prior: DepthPrior) {
        for y in 0..<height {
            for x in 0..<width {
                guard solver.active[y * width + x] != 0, let known = prior.inverseDepth(x, y, of: width, height) else { continue }
                let w = min(max(known, solver.inverseDepths.lowerBound), solver.inverseDepths.upperBound)
                let ray = solver.ray(Float(x), Float(y))
                solver.planes[y * width + x] = solver.plane(w: w, direction: ray, ray: ray)
            }
        }
    }

    /// The depth map without pixels of high cost and without islands.
    func map(photo: Int, options: DepthEstimator.Options) -> DepthMap {
        var map = DepthMap(photo: photo, camera: reference.camera)
        let solver = solver
        for y in 0..<height {
            for x in 0..<width {
                let index = y * width + x
                let plane = solver.planes[index]
                guard solver.active[index] != 0, plane.x > 0, plane.w < options.maximumCost else { continue }
                let direction = solver.direction(plane, ray: solver.ray(Float(x), Float(y)))
                map.depths[index] = 1 / plane.x
                map.normals[index] = DepthMap.packNormal(-normalize(Vector3(direction.x, direction.y, direction.z)))
                map.confidences[index] = UInt8(clamp(255 * (1 - plane.w), 1, 255))
            }
        }
        map.removeIslands(smallerThan: options.smallestIsland)
        return map
    }
}

extension DepthPrior {
    /// 1/z at the centre of a pixel of an image of another size; nil where unknown.
    func inverseDepth(_ x: Int, _ y: Int, of width: Int, _ height: Int) -> Float? {
        guard depths.width > 0, depths.height > 0 else { return nil }
        let column = min(depths.width - 1, (2 * x + 1) * depths.width / (2 * width))
        let row = min(depths.height - 1, (2 * y + 1) * depths.height / (2 * height))
        let depth = depths[column, row]
        return depth > 0 && depth.isFinite ? 1 / depth : nil
    }
}

extension DepthMap {
    /// Removes the depth of small connected components. Neighbouring pixels are connected if their depths differ by less than 2 %.
    mutating func removeIslands(smallerThan smallest: Int) {
        guard smallest > 1 else { return }
        var seen = [Bool](repeating: false, count: depths.count)
        var island: [Int] = []
        for start in depths.indices where depths[start] > 0 && !seen[start] {
            island.removeAll(keepingCapacity: true)
            island.append(start)
            seen[start] = true
            var next = 0
            while next < island.count {
                let index = island[next]
                next += 1
                let (x, depth) = (index % width, depths[index])
                func visit(_ other: Int) {
                    guard !seen[other], depths[other] > 0, abs(depths[other] - depth) < 0.02 * depth else { return }
                    seen[other] = true
                    island.append(other)
                }
                if x > 0 { visit(index - 1) }
                if x + 1 < width { visit(index + 1) }
                if index >= width { visit(index - width) }
                if index + width < depths.count { visit(index + width) }
            }
            guard island.count < smallest else { continue }
            for index in island { (depths[index], normals[index], confidences[index]) = (0, 0, 0) }
        }
    }
}
