import Foundation
import Testing
import VitrineMath
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

/// Writers and readers take time linear in the number of siblings.
struct ManySiblingsTests {
    private func scene(_ count: Int) throws -> Scene {
        let scene = Scene(name: "many")
        let geometry = try WriterScenes.squareGeometry()
        for index in 0..<count {
            let mesh = Mesh(name: "part", geometry: geometry, material: Material(name: "paint"))
            let node = Node(name: index % 2 == 0 ? "part" : "part_\(index)", mesh: mesh)
            node.position.x = Float(index)
            scene.rootNode.addChildNode(node)
        }
        return scene
    }

    /// The processor time of this thread: other tests run beside it.
    private func seconds(_ body: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        let start = now()
        try body()
        return now() - start
    }

    /// Eight times as many siblings may take at most 24 times as long; a quadratic step takes 64 times as long. The fastest run counts, and
    /// short runs don't.
    @Test(arguments: ["a.usdz", "a.usda", "a.glb", "a.dae", "a.obj"])
    func timeIsLinear(_ name: String) throws {
        let format = try #require(ModelFile.format(forExtension: (name as NSString).pathExtension))
        let (few, many) = (500, 4000)
        var (writing, reading): ([Double], [Double]) = ([], [])
        for count in [few, many] {
            let scene = try scene(count)
            var model = EncodedModel(files: [], warnings: [])
            writing.append(
                try (0..<3).map { _ in try seconds { model = try ModelFile.encode(scene, as: format, name: name) } }.min() ?? 0)
            let files = Dictionary(uniqueKeysWithValues: model.files.dropFirst().map { ($0.name, $0.bytes) })
            var nodes = 0
            reading.append(
                try (0..<2).map { _ in
                    try seconds {
                        let loaded = try SceneFile.read(model.files[0].bytes, name: name) { path throws(FileError) in
                            guard let bytes = files[path] else { throw FileError(path: path, reason: "is not there") }
                            return bytes
                        }
                        nodes = 0
                        loaded.scene.rootNode.forSubtree { if $0.mesh != nil { nodes += 1 } }
                    }
                }.min() ?? 0)
            #expect(nodes >= (format == .obj ? 1 : count))
        }
        #expect(writing[1] < max(24 * writing[0], 0.2), "writing \(writing)")
        #expect(reading[1] < max(24 * reading[0], 0.2), "reading \(reading)")
    }

    @Test func namesAreMadeUnique() {
        var names = UniqueNames()
        #expect(["a", "a", "a_1", "b", "a", "a_1"].map { names.unique($0) } == ["a", "a_1", "a_1_1", "b", "a_2", "a_1_2"])
    }
}
