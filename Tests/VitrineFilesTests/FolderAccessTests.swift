import Foundation
import Testing
import VitrineScene
import VitrineTestSupport

@testable import VitrineFiles

/// Files of a model outside its folder: refused without permission in each format, also through symbolic links.
struct FolderAccessTests {
    /// `shared/` beside `model/`, with a texture, a buffer, a layer, a material library and a document; `model/` has the models.
    private func prepare(_ top: URL) throws {
        let files = FileManager.default
        for folder in ["model", "shared"] {
            try files.createDirectory(at: top.appendingPathComponent(folder), withIntermediateDirectories: true)
        }
        let image = try Image(width: 2, height: 2, format: .rgba8, bytes: [UInt8](repeating: 200, count: 16))
        let triangle: [Float] = [0, 0, 0, 1, 0, 0, 0, 1, 0]
        let usda = """
            #usda 1.0
            ( defaultPrim = "T" )
            def Mesh "T" {
                int[] faceVertexCounts = [3]
                int[] faceVertexIndices = [0, 1, 2]
                point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
            }
            """
        try write(try ImageFile.encode(image, as: .png()), top, "shared/wood.png")
        try write(triangle.withUnsafeBytes { Array($0) }, top, "shared/t.bin")
        try write(Array(usda.utf8), top, "shared/base.usda")
        try write(Array("newmtl m\nmap_Kd ../shared/wood.png\n".utf8), top, "shared/m.mtl")
        try write(Array(collada("wood.png").utf8), top, "shared/base.dae")
    }

    private func write(_ bytes: [UInt8], _ top: URL, _ name: String) throws {
        try Data(bytes).write(to: top.appendingPathComponent(name))
    }

    private func collada(_ texture: String) -> String {
        COLLADAFolderText.document.replacingOccurrences(of: "TEXTURE", with: texture)
    }

    private func gltf(buffer: String, image: String) -> String {
        """
        {"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],
        "meshes":[{"primitives":[{"attributes":{"POSITION":0},"material":0}]}],
        "materials":[{"emissiveTexture":{"index":0}}],"textures":[{"source":0}],"images":[{"uri":"\(image)"}],
        "buffers":[{"uri":"\(buffer)","byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[1,1,0]}]}
        """
    }

    private func obj(_ library: String) -> String {
        "mtllib \(library)\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nusemtl m\nf 1/1 2/1 3/1\n"
    }

    private func usda(_ layer: String) -> String {
        "#usda 1.0\ndef Xform \"A\" { def \"B\" ( references = @\(layer)@ ) { } }\n"
    }

    /// Each format, by a path up, by an absolute path where the format has one, and by a link to a file and to a folder.
    private func models(_ top: URL) throws -> [(name: String, text: String, isRefusedWhole: Bool)] {
        let files = FileManager.default
        for name in ["wood.png", "t.bin", "base.usda", "m.mtl"] {
            try files.createSymbolicLink(
                at: top.appendingPathComponent("model/link-\(name)"), withDestinationURL: top.appendingPathComponent("shared/\(name)"))
        }
        try files.createSymbolicLink(
            at: top.appendingPathComponent("model/folder"), withDestinationURL: top.appendingPathComponent("shared"))
        let shared = top.appendingPathComponent("shared").path
        var models: [(String, String, Bool)] = []
        for (number, prefix) in ["../shared/", "folder/", "sub/../../shared/", "link-", shared + "/"].enumerated() {
            models.append(("b\(number).gltf", gltf(buffer: prefix + "t.bin", image: "data:,"), true))
            models.append(("o\(number).obj", obj(prefix + "m.mtl"), false))
            models.append(("u\(number).usda", usda(prefix + "base.usda"), false))
            if number != 4 { models.append(("c\(number).dae", collada(prefix + "wood.png"), false)) }
        }
        return models
    }

    private func complaint(_ url: URL, _ options: ModelLoadOptions) async throws -> String {
        do {
            return try await SceneFile.load(url, options: options).warnings.map(\.description).joined(separator: "; ")
        } catch let error as ModelFileError {
            return "refused: \(error)"
        }
    }

    @Test func filesOutsideAreReadOnlyWhereTheyAreAllowed() async throws {
        try await withTemporaryDirectory { top in
            try prepare(top)
            for model in try models(top) {
                let url = top.appendingPathComponent("model/" + model.name)
                try Data(model.text.utf8).write(to: url)
                let without = try await complaint(url, ModelLoadOptions())
                #expect(without.contains("outside the model's folder") && without.contains("--allow-folder"), "\(model.name): \(without)")
                #expect(without.hasPrefix("refused") == model.isRefusedWhole, "\(model.name): \(without)")
                var options = ModelLoadOptions()
                options.allowedFolders = [top.appendingPathComponent("shared")]
                let with = try await complaint(url, options)
                #expect(!with.contains("outside") && !with.contains("omitted: no such"), "\(model.name): \(with)")
                let scene = try await SceneFile.load(url, options: options).scene
                #expect(!scene.bounds.isEmpty, "\(model.name)")
                var textures = 0
                scene.rootNode.forSubtree { node in textures += node.mesh?.parts.reduce(0) { $0 + $1.material.textures.count } ?? 0 }
                if model.name.hasPrefix("o") || model.name.hasPrefix("c") { #expect(textures == 1, "\(model.name): \(with)") }
            }
        }
    }

    @Test func texturesOfGLTFToo() async throws {
        try await withTemporaryDirectory { top in
            try prepare(top)
            _ = try models(top)
            let bin = try Data(contentsOf: top.appendingPathComponent("shared/t.bin"))
            try bin.write(to: top.appendingPathComponent("model/own.bin"))
            for uri in ["../shared/wood.png", "folder/wood.png", "link-wood.png"] {
                let url = top.appendingPathComponent("model/a.gltf")
                try Data(gltf(buffer: "own.bin", image: uri).utf8).write(to: url)
                #expect(try await complaint(url, ModelLoadOptions()).contains("outside the model's folder"))
                var options = ModelLoadOptions()
                options.allowedFolders = [top.appendingPathComponent("shared")]
                #expect(try await !complaint(url, options).contains("omitted"))
            }
        }
    }

    @Test func linksInsideAndLinkedModelFoldersAreFine() async throws {
        try await withTemporaryDirectory { top in
            try prepare(top)
            let files = FileManager.default
            try files.moveItem(at: top.appendingPathComponent("shared/t.bin"), to: top.appendingPathComponent("model/t.bin"))
            try files.createSymbolicLink(
                at: top.appendingPathComponent("model/again.bin"), withDestinationURL: top.appendingPathComponent("model/t.bin"))
            try Data(gltf(buffer: "again.bin", image: "data:,").utf8).write(to: top.appendingPathComponent("model/a.gltf"))
            try files.createSymbolicLink(
                at: top.appendingPathComponent("elsewhere"), withDestinationURL: top.appendingPathComponent("model"))
            for name in ["model/a.gltf", "elsewhere/a.gltf"] {
                #expect(try await SceneFile.load(top.appendingPathComponent(name)).scene.bounds.isEmpty == false)
            }
        }
    }

    @Test func aFolderThatIsAllowedMustExist() async throws {
        try await withTemporaryDirectory { top in
            try prepare(top)
            let url = top.appendingPathComponent("model/a.usda")
            try Data(usda("../shared/base.usda").utf8).write(to: url)
            for (name, reason) in [("nowhere", "no such file or directory"), ("shared/wood.png", "is not a directory")] {
                var options = ModelLoadOptions()
                options.allowedFolders = [top.appendingPathComponent(name)]
                let complaint = try await complaint(url, options)
                #expect(complaint.contains(name) && complaint.contains(reason), "\(complaint)")
            }
        }
    }

    @Test func pathsAreResolvedAsText() {
        #expect(ResourcePath.resolved("a/./b/../c.png") == "a/c.png")
        #expect(ResourcePath.resolved("..\\x.png", from: "a/b/") == "a/x.png")
        #expect(ResourcePath.resolved("../../x.png", from: "a") == "../x.png")
        #expect(ResourcePath.resolved("../x.png", from: "..") == "../../x.png")
        #expect(ResourcePath.resolved("/a/../../x.png", from: "b") == "/x.png")
        #expect(ResourcePath.resolved("x.png", from: "/a/b") == "/a/b/x.png")
        #expect(ResourcePath.leadsOutside("../x") && ResourcePath.leadsOutside("/x") && !ResourcePath.leadsOutside("..x"))
    }
}

/// A triangle with a textured material.
private enum COLLADAFolderText {
    static let document = """
        <?xml version="1.0"?>
        <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>Y_UP</up_axis></asset>
        <library_images><image id="i"><init_from>TEXTURE</init_from></image></library_images>
        <library_effects><effect id="e"><profile_COMMON>
        <newparam sid="s"><surface type="2D"><init_from>i</init_from></surface></newparam>
        <newparam sid="p"><sampler2D><source>s</source></sampler2D></newparam>
        <technique sid="c"><lambert><diffuse><texture texture="p" texcoord="T"/></diffuse></lambert></technique>
        </profile_COMMON></effect></library_effects>
        <library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
        <library_geometries><geometry id="g"><mesh><source id="v"><float_array id="va" count="9">0 0 0 1 0 0 0 1 0</float_array>
        <technique_common><accessor source="#va" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
        <vertices id="vs"><input semantic="POSITION" source="#v"/></vertices>
        <triangles count="1" material="x"><input semantic="VERTEX" source="#vs" offset="0"/><p>0 1 2</p></triangles></mesh></geometry>
        </library_geometries>
        <library_visual_scenes><visual_scene id="s1"><node><instance_geometry url="#g"><bind_material><technique_common>
        <instance_material symbol="x" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
        </library_visual_scenes><scene><instance_visual_scene url="#s1"/></scene></COLLADA>
        """
}
