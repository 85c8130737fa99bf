import Foundation
import Testing
import VitrineFiles
import VitrineMath
import VitrineScene

@Suite struct COLLADAMaterialTests {
    private func load(
        _ shader: String, parameters: String = "", extra: String = "", images: String = "", files: [String: [UInt8]] = [:],
        version: String = "1.4.1", binding: String = ""
    ) throws -> (Material, [String]) {
        let sets = COLLADAText.source("uv", "0 0 1 0 1 1", ["S", "T"]) + COLLADAText.source("uw", "0 0.5 1 0 1 1", ["S", "T"])
        let triangles = """
            <triangles material="m">\(COLLADAText.vertexInput)<input semantic="TEXCOORD" source="#uv" offset="0" set="0"/>
            <input semantic="TEXCOORD" source="#uw" offset="0" set="3"/><p>0 1 2</p></triangles>
            """
        let libraries = """
            <library_images>\(images)</library_images>
            <library_effects><effect id="e"><profile_COMMON>\(parameters)<technique sid="t">\(shader)</technique>\(extra)</profile_COMMON></effect></library_effects>
            <library_materials><material id="mat" name="Paint"><instance_effect url="#e"/></material></library_materials>
            """ + COLLADAText.geometry("0 0 0 1 0 0 0 1 0", triangles, sources: sets)
        let nodes = """
            <node><instance_geometry url="#g"><bind_material><technique_common><instance_material symbol="m" target="#mat">\(binding)
            </instance_material></technique_common></bind_material></instance_geometry></node>
            """
        let loaded = try COLLADAText.load(COLLADAText.document(libraries, nodes: nodes, version: version), files: files)
        let material = try #require(loaded.scene.rootNode.childNodes[0].mesh?.parts[0].material)
        return (material, loaded.warnings.map(\.message))
    }

    @Test func models() throws {
        let colours = "<emission><color>0 0 1 1</color></emission><diffuse><color>1 0.5 0 1</color></diffuse>"
        let phong = try load(
            "<phong>\(colours)<specular><color>0.5 0.5 0.5 1</color></specular><shininess><float>12</float></shininess></phong>"
        ).0
        #expect(phong.lightingModel == .phong && phong.highlight.shininess == 12 && phong.name == "Paint")
        #expect(abs(phong.baseColor.factor.y - linearFromSRGB(0.5)) < 1e-6 && phong.emission.factor.z == 1)
        #expect(abs(phong.highlight.color.factor.x - linearFromSRGB(0.5)) < 1e-6)
        #expect(try load("<blinn>\(colours)</blinn>").0.lightingModel == .blinn)
        #expect(try load("<lambert>\(colours)</lambert>").0.lightingModel == .lambert)
        let constant = try load("<constant>\(colours)</constant>").0
        #expect(constant.lightingModel == .constant && constant.baseColor.factor.z == 1 && constant.baseColor.factor.x == 0)
        let two = "<extra><technique profile=\"GOOGLEEARTH\"><double_sided>1</double_sided></technique></extra>"
        #expect(try load("<lambert/>", extra: two).0.isDoubleSided)
        // COLLADA itself culls nothing.
        #expect(try load("<lambert/>").0.isDoubleSided)
        #expect(try !load("<lambert/>", extra: two.replacingOccurrences(of: ">1<", with: ">0<")).0.isDoubleSided)
    }

    /// An exponent by the specification; an eccentricity for Blinn; a share of 128 from 3ds Max.
    @Test func shininess() throws {
        func shininess(_ model: String, _ value: String) throws -> Float {
            try load("<\(model)><shininess><float>\(value)</float></shininess></\(model)>").0.highlight.shininess
        }
        #expect(try shininess("phong", "0.05") == 0.05 && shininess("phong", "40") == 40 && shininess("blinn", "40") == 40)
        // Maya's default of 0.3 is sharper than 0.5; from there on the highlight is as wide as can be.
        #expect(try abs(shininess("blinn", "0.5") - 9.3) < 0.1)
        #expect(try abs(shininess("blinn", "0.3") - 33.1) < 0.2)
        #expect(try shininess("blinn", "0.001") == 1000 && shininess("blinn", "1") == 1)
        let text = """
            <COLLADA><asset><contributor><authoring_tool>3ds Max 11</authoring_tool></contributor></asset><library_effects><effect id="e"><profile_COMMON>
            <technique sid="t"><blinn><shininess><float>0.25</float></shininess></blinn></technique></profile_COMMON></effect></library_effects>
            <library_materials><material id="mat"><instance_effect url="#e"/></material></library_materials>
            """
            + COLLADAText.document(
                COLLADAText.geometry("0 0 0 1 0 0 0 1 0", "<triangles material=\"mat\">\(COLLADAText.vertexInput)<p>0 1 2</p></triangles>"),
                nodes: "<node><instance_geometry url=\"#g\"/></node>"
            ).split(separator: "</asset>", maxSplits: 1)[1]
        #expect(try COLLADAText.load(text).scene.rootNode.childNodes[0].mesh?.parts[0].material.highlight.shininess == 32)
    }

    @Test func ambientTexturesAreReported() throws {
        let image = try Image(width: 1, height: 1, format: .rgba8, bytes: [255, 0, 0, 255])
        let files = ["a.png": try ImageFile.encode(image, as: .png()), "b.png": try ImageFile.encode(image, as: .png())]
        let images = ["a", "b"].map { "<image id=\"\($0)\"><init_from>\($0).png</init_from></image>" }.joined()
        func warnings(_ ambient: String) throws -> [String] {
            let shader = """
                <lambert><ambient><texture texture="\(ambient)" texcoord="T"/></ambient>
                <diffuse><texture texture="a" texcoord="T"/></diffuse></lambert>
                """
            return try load(shader, images: images, files: files).1
        }
        #expect(try warnings("a") == [])
        #expect(try warnings("b") == ["the ambient texture \"b.png\" is not supported"])
    }

    @Test func parametersAndWhatMaterialsSet() throws {
        let parameters = "<newparam sid=\"c\"><float3>0 1 0</float3></newparam><newparam sid=\"s\"><float>5</float></newparam>"
        let material = try load(
            "<phong><diffuse><param ref=\"c\"/></diffuse><shininess><param ref=\"s\"/></shininess></phong>", parameters: parameters
        ).0
        #expect(material.baseColor.factor == Vector4(0, 1, 0, 1) && material.highlight.shininess == 5)
    }

    @Test(arguments: [
        ("A_ONE", "1 1 1 0.5", "0.5", Float(0.25)), ("A_ZERO", "1 1 1 0.5", "0.5", 0.75), ("RGB_ZERO", "0.5 0.5 0.5 1", "0.5", 0.75),
        ("RGB_ONE", "0.5 0.5 0.5 1", "0.5", 0.25), ("RGB_ZERO", "0 0 0 1", "1", 1),
    ])
    func transparency(_ mode: String, _ color: String, _ amount: String, _ expected: Float) throws {
        let material = try load(
            "<lambert><transparent opaque=\"\(mode)\"><color>\(color)</color></transparent><transparency><float>\(amount)</float></transparency></lambert>"
        ).0
        #expect(abs(material.baseColor.factor.w - expected) < 1e-5)
        #expect(material.alphaMode == (expected < 1 ? .blend : .opaque))
    }

    @Test func aBareTransparencyOfZeroIsOpaque() throws {
        let (material, warnings) = try load("<lambert><transparency><float>0</float></transparency></lambert>")
        #expect(material.alphaMode == .opaque && warnings.contains { $0.contains("transparency 0") })
    }

    static let sampler = """
        <newparam sid="sf"><surface type="2D"><init_from>im</init_from></surface></newparam>
        <newparam sid="sm"><sampler2D><source>sf</source><wrap_s>MIRROR</wrap_s><wrap_t>CLAMP</wrap_t><magfilter>NEAREST</magfilter></sampler2D></newparam>
        """

    @Test func textures() throws {
        let shader = "<lambert><diffuse><texture texture=\"sm\" texcoord=\"TC\"/></diffuse></lambert>"
        let binding = "<bind_vertex_input semantic=\"TC\" input_semantic=\"TEXCOORD\" input_set=\"3\"/>"
        let old = try load(
            shader, parameters: Self.sampler, images: "<image id=\"im\"><init_from>./tex/a%20b.png</init_from></image>",
            files: ["tex/a b.png": [1]], binding: binding
        ).0
        let map = try #require(old.baseColor.map)
        #expect(map.set == 1 && map.texture.sampler.wrapS == .mirroredRepeat && map.texture.sampler.wrapT == .clampToEdge)
        #expect(map.texture.sampler.magnification == .nearest)
        let new = try load(
            shader, parameters: "<newparam sid=\"sm\"><sampler2D><instance_image url=\"#im\"/></sampler2D></newparam>",
            images: "<image id=\"im\"><init_from><hex format=\"PNG\">0aFF</hex></init_from></image>", version: "1.5.0"
        ).0
        guard case .encoded(let bytes)? = new.baseColor.map?.texture.content else {
            Issue.record("no image")
            return
        }
        #expect(bytes == [0x0A, 0xFF])
    }

    @Test(arguments: ["C:\\work\\maps\\wood.png", "file:///R:/x/wood.png", "../elsewhere/wood.png", "/abs/wood.png", "..\\maps\\wood.png"])
    func imagesInOtherFolders(_ path: String) throws {
        let shader = "<lambert><diffuse><texture texture=\"im\" texcoord=\"\"/></diffuse></lambert>"
        let (material, warnings) = try load(
            shader, images: "<image id=\"im\"><init_from>\(path)</init_from></image>", files: ["wood.png": [7]])
        #expect(material.baseColor.map?.texture.name == "wood.png")
        #expect(warnings.contains { $0.contains("wood.png\" is used") })
        let (without, missing) = try load(shader, images: "<image id=\"im\"><init_from>\(path)</init_from></image>")
        #expect(without.baseColor.map == nil && missing.contains { $0.contains("was omitted") })
    }
}
