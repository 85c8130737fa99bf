import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene
import VitrineTestSupport

/// Real files against OpenUSD's results: `scripts/quality/usd_truth.py` writes that to the file that `VITRINE_USD_TRUTH` names.
@Suite struct USDTruthTests {
    struct Truth: Decodable {
        struct Mesh: Decodable {
            let path, name: String
            let triangles: Int
            let boxes: [[Float]]
            let coordinates: [Float]?
            let materials: [String]
        }

        let seconds: [Float]
        let meshes: [Mesh]
    }

    /// Meshes that OpenUSD does not skin, because they lack SkelBindingAPI.
    private static let lenient: Set<String> = ["usdskel-001.usda", "usdskel-001.usdc"]

    private static let path = ProcessInfo.processInfo.environment["VITRINE_USD_TRUTH"]

    @Test(.enabled(if: path != nil && SharedData.has("usd"), "no VITRINE_USD_TRUTH, or no data"))
    func openUSDSeesTheSame() async throws {
        let truth = try JSONDecoder().decode([String: Truth].self, from: Data(contentsOf: URL(fileURLWithPath: Self.path ?? "")))
        var (files, meshes, moments, differences): (Int, Int, Int, [String]) = (0, 0, 0, [])
        for url in SharedData.files(under: "usd", extensions: ["usd", "usda", "usdc", "usdz"]) {
            guard let name = truth.keys.first(where: { url.path.hasSuffix("/usd/" + $0) }), let expected = truth[name],
                !expected.meshes.isEmpty, !Self.lenient.contains(url.lastPathComponent)
            else { continue }
            do {
                let scene = try await SceneFile.load(url).scene
                files += 1
                let found = Self.compare(scene, expected)
                differences += found.map { "\(name): \($0)" }
                meshes += expected.meshes.count
                moments += expected.meshes.count * expected.seconds.count
            } catch {
                differences.append("\(error)")
            }
        }
        print("USD against OpenUSD: \(files) files, \(meshes) meshes at \(moments) moments, \(differences.count) differences")
        for difference in differences { print("  \(difference)") }
        #expect(differences == [])
    }

    private static func compare(_ scene: Scene, _ truth: Truth) -> [String] {
        var nodes: [Node] = []
        scene.rootNode.forSubtree { if ($0.mesh?.triangleCount ?? 0) > 0 { nodes.append($0) } }
        var (differences, next): ([String], Int) = ([], 0)
        var pairs: [(Node, Truth.Mesh)] = []
        for mesh in truth.meshes {
            // Simple shapes are meshes to us, not to OpenUSD.
            guard let index = nodes[next...].firstIndex(where: { $0.name == mesh.name }) else {
                differences.append("\(mesh.path) isn't there")
                continue
            }
            pairs.append((nodes[index], mesh))
            next = index + 1
        }
        for (node, mesh) in pairs {
            let triangles = node.mesh?.triangleCount ?? 0
            if triangles != mesh.triangles { differences.append("\(mesh.path) has \(triangles) triangles, not \(mesh.triangles)") }
            let materials = Set((node.mesh?.parts ?? []).map(\.material.name)).sorted()
            if materials != mesh.materials { differences.append("\(mesh.path) has materials \(materials), not \(mesh.materials)") }
            if let expected = mesh.coordinates, let found = coordinates(node), !isClose(found, expected, 1e-4) {
                differences.append("\(mesh.path) has coordinates in \(found), not \(expected)")
            }
        }
        for (index, seconds) in truth.seconds.enumerated() {
            for clip in scene.animations { clip.apply(at: seconds) }
            scene.update()
            for (node, mesh) in pairs {
                let (found, expected) = (PosedMesh.box(node), mesh.boxes[index])
                let size = zip(expected[3...], expected[..<3]).reduce(Float(0)) { max($0, abs($1.0 - $1.1)) }
                if !isClose(found, expected, 1e-3 * max(size, 1e-3) + 1e-5) {
                    differences.append("\(mesh.path) at \(seconds) s reaches \(found), not \(expected)")
                }
            }
        }
        return differences
    }

    private static func isClose(_ a: [Float], _ b: [Float], _ tolerance: Float) -> Bool {
        a.count == b.count && zip(a, b).allSatisfy { abs($0 - $1) <= tolerance }
    }

    private static func coordinates(_ node: Node) -> [Float]? {
        var (low, high) = (Vector2(repeating: .infinity), Vector2(repeating: -.infinity))
        for part in node.mesh?.parts ?? [] {
            guard let values = part.geometry.attribute(.textureCoordinate(set: 0))?.values else { return nil }
            for index in stride(from: 0, to: values.count, by: 2) {
                let point = Vector2(values[index], values[index + 1])
                (low, high) = (pointwiseMin(low, point), pointwiseMax(high, point))
            }
        }
        return [low.x, low.y, high.x, high.y]
    }
}
