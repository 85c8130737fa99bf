import Foundation
import Vitrine
import VitrineMath
import VitrineScene

@testable import VitrinePathTracer

/// Rays per second on one core, of the path tracer's hierarchy and of Embree: `vitrine-rays MODEL…`.
///
/// | rays | |
/// | --- | --- |
/// | camera | of a pinhole camera that sees the whole model, row by row |
/// | bounce | from the camera's hits into the half space above the triangle, by the cosine: as paths go on |
/// | random | from a sphere around the model to points of its box, in no order |
@main
struct VitrineRays {
    struct Ray {
        var origin, direction: Vector3
    }

    private static let side = 700
    private static let repeats = 5

    @MainActor static func main() async throws {
        let paths = CommandLine.arguments.dropFirst()
        guard !paths.isEmpty else {
            print("usage: vitrine-rays MODEL…")
            exit(2)
        }
        print("| model | triangles | rays | ours, million/s | Embree robust | Embree |")
        print("| --- | ---: | --- | ---: | ---: | ---: |")
        for path in paths { try await measure(URL(fileURLWithPath: path)) }
    }

    @MainActor private static func measure(_ url: URL) async throws {
        let scene = PathSceneSource(try PathScene(try await SceneFile.load(url).scene))
        let robust = Embree(positions: scene.positions, triangles: scene.triangles, isRobust: true)
        let plain = Embree(positions: scene.positions, triangles: scene.triangles, isRobust: false)
        if plain == nil { print("without Embree: install libembree3-3") }
        let camera = cameraRays(scene)
        for (name, rays) in [("camera", camera), ("bounce", bounceRays(scene, camera)), ("random", randomRays(scene))] {
            let ours = run(rays) { scene.nearest($0.origin, $0.direction) }
            var cells = [ours.rate]
            for other in [robust, plain] {
                guard let other else { continue }
                let theirs = run(rays) { other.nearest($0.origin, $0.direction) }
                cells.append(theirs.rate)
                // A few rays pass exactly along edges, and without the robust flag through them.
                let allowed = max(rays.count / 10_000, 2)
                guard abs(theirs.hits - ours.hits) <= allowed else { fatalError("\(name): \(ours.hits) hits, Embree \(theirs.hits)") }
            }
            let numbers = cells.map { String(format: "%.2f", $0) }.joined(separator: " | ")
            print("| \(url.deletingPathExtension().lastPathComponent) | \(scene.triangles.count) | \(name) | \(numbers) |")
        }
    }

    /// Returns the rate of the fastest of several runs in million rays per second.
    private static func run(_ rays: [Ray], _ cast: (Ray) -> Float) -> (rate: Double, hits: Int) {
        var best = Double.infinity
        var hits = 0
        for _ in 0..<repeats {
            hits = 0
            let time = ContinuousClock().measure { for ray in rays where cast(ray) < .infinity { hits += 1 } }
            best = min(best, Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
        }
        return (Double(rays.count) / best / 1e6, hits)
    }

    private static func cameraRays(_ scene: PathSceneSource) -> [Ray] {
        let eye = scene.center + normalize(Vector3(0.5, 0.3, 1)) * (scene.radius * 2.6)
        let pose = Matrix4.lookAt(eye: eye, target: scene.center, up: .up)
        return (0..<side * side).map { index in
            let x = (Float(index % side) + 0.5) / Float(side) * 2 - 1
            let y = 1 - (Float(index / side) + 0.5) / Float(side) * 2
            return Ray(origin: eye, direction: normalize(pose.transform(direction: Vector3(x * 0.42, y * 0.42, -1))))
        }
    }

    private static func bounceRays(_ scene: PathSceneSource, _ camera: [Ray]) -> [Ray] {
        var random = Random(seed: 1)
        var rays: [Ray] = []
        for ray in camera {
            guard let hit = scene.hit(ray.origin, ray.direction) else { continue }
            let normal = dot(hit.normal, ray.direction) > 0 ? -hit.normal : hit.normal
            let d = Warp.cosine(Vector2(random.next(), random.next()))
            let x = anyPerpendicular(normal)
            let direction = x * d.x + cross(normal, x) * d.y + normal * d.z
            rays.append(Ray(origin: hit.position + normal * (scene.radius * 1e-5), direction: normalize(direction)))
        }
        return rays
    }

    private static func randomRays(_ scene: PathSceneSource) -> [Ray] {
        var random = Random(seed: 2)
        func point() -> Vector3 { Vector3(random.next(), random.next(), random.next()) }
        return (0..<side * side).map { _ in
            var out = point() * 2 - Vector3(repeating: 1)
            if length(out) < 0.1 { out = Vector3(1, 0, 0) }
            let origin = scene.center + normalize(out) * (scene.radius * 2)
            let target = scene.low + point() * (scene.high - scene.low)
            return Ray(origin: origin, direction: normalize(target - origin))
        }
    }

}

/// Random numbers in 0 ..< 1, the same on every run.
private struct Random {
    private var state: UInt32

    init(seed: UInt32) { state = SampleSequence.hash(seed) }

    mutating func next() -> Float {
        state &+= 0x9E37_79B9
        return SampleSequence.unitFloat(SampleSequence.hash(state))
    }
}

/// The triangles of a scene, and the path tracer's hierarchy of them without materials, which would confirm hits.
final class PathSceneSource {
    let positions: [Vector3]
    let triangles: [SIMD3<UInt32>]
    let low, high: Vector3
    private let hierarchy: WideHierarchy
    private let stack = TraversalStack()

    init(_ scene: PathScene) {
        let contents = scene.contents
        let triangles = (0..<scene.triangleCount).map { index in
            let t = contents.triangles[index]
            return SIMD3(t.x, t.y, t.z)
        }
        let last = triangles.map { Int($0.max()) }.max() ?? 0
        let positions = (0...last).map { contents.positions[$0] }
        hierarchy = WideHierarchy(
            count: triangles.count,
            corners: { index in
                let t = triangles[index]
                return (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
            }, isFiltered: { _ in false })
        (self.triangles, self.positions) = (triangles, positions)
        (low, high) = hierarchy.bounds
    }

    deinit { stack.deallocate() }

    var center: Vector3 { (low + high) * 0.5 }
    var radius: Float { length(high - low) / 2 }

    @inline(__always) private func cast(_ origin: Vector3, _ direction: Vector3) -> WideHierarchy.Hit {
        hierarchy.nearest(TraversalRay(origin: origin, direction: direction), from: 0, to: .infinity, stack: stack) { _, _, _, _ in true }
    }

    @inline(__always) func nearest(_ origin: Vector3, _ direction: Vector3) -> Float {
        let hit = cast(origin, direction)
        return hit.triangle >= 0 ? hit.distance : .infinity
    }

    func hit(_ origin: Vector3, _ direction: Vector3) -> (position: Vector3, normal: Vector3)? {
        let hit = cast(origin, direction)
        guard hit.triangle >= 0 else { return nil }
        let t = triangles[Int(hit.triangle)]
        let a = positions[Int(t.x)]
        let normal = cross(positions[Int(t.y)] - a, positions[Int(t.z)] - a)
        return (origin + direction * hit.distance, normalize(normal))
    }
}
