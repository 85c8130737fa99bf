import VitrineAR
import VitrineMath

/// `Shared` of the shader.
struct SharedUniforms {
    static let vectorCount = 13
    let vectors: [Vector4]

    init(_ frame: ARFrame, _ orientation: InterfaceOrientation, _ viewport: Vector2) {
        let projection = frame.camera.projectionMatrix(for: orientation, viewportSize: viewport, zNear: 0.001, zFar: 1000)
        let view = frame.camera.viewMatrix(for: orientation)
        let intensity = (frame.lightEstimate?.ambientIntensity ?? 1000) / 1000
        let pictureFromView = frame.displayTransform(for: orientation, viewportSize: viewport).inverse
        func row(_ v: Float) -> Vector4 {
            let (left, right) = (pictureFromView * Vector3(0, v, 1), pictureFromView * Vector3(1, v, 1))
            return Vector4(left.x, left.y, right.x, right.y)
        }
        vectors = [
            projection.x, projection.y, projection.z, projection.w, view.x, view.y, view.z, view.w,
            Vector4(Vector3(repeating: 0.5 * intensity), 0), Vector4(Vector3(repeating: 0.6), 0),
            // The directional light's way, and the shininess of highlights.
            Vector4(0, 0, -1, 30),
            row(0), row(1),
        ]
    }
}

let arRendererShader = """
    struct Shared {
        clipFromCamera: mat4x4f,
        cameraFromWorld: mat4x4f,
        ambient: vec4f,
        directional: vec4f,
        light: vec4f,
        // The picture's place for the view's corners: left and right, above, then below.
        corners: array<vec4f, 2>,
    }
    @group(0) @binding(0) var<uniform> frame: Shared;
    @group(0) @binding(1) var<uniform> models: array<mat4x4f, 64>;
    @group(0) @binding(2) var luma: texture_2d<f32>;
    @group(0) @binding(3) var chroma: texture_2d<f32>;
    @group(0) @binding(4) var linear: sampler;

    struct ImageVertex {
        @builtin(position) clip: vec4f,
        @location(0) place: vec2f,
    }

    // A strip over all of the view: upper left, upper right, lower left, lower right.
    @vertex fn imagePlane(@builtin(vertex_index) index: u32) -> ImageVertex {
        let right = (index & 1u) == 1u;
        let row = frame.corners[index >> 1u];
        let corner = vec2f(select(-1.0, 1.0, right), select(1.0, -1.0, index > 1u));
        return ImageVertex(vec4f(corner, 0.0, 1.0), select(row.xy, row.zw, right));
    }

    // BT.601, full range.
    @fragment fn image(in: ImageVertex) -> @location(0) vec4f {
        let y = textureSampleLevel(luma, linear, in.place, 0.0).r;
        let c = textureSampleLevel(chroma, linear, in.place, 0.0).rg - 128.0 / 255.0;
        return vec4f(y + 1.402 * c.y, y - 0.3441 * c.x - 0.7141 * c.y, y + 1.772 * c.x, 1.0);
    }

    struct AnchorVertex {
        @builtin(position) clip: vec4f,
        @location(0) place: vec3f,
        @location(1) normal: vec3f,
        @location(2) face: vec3f,
    }

    // Place and normal in the camera's frame.
    @vertex fn anchor(@location(0) position: vec3f, @location(1) normal: vec3f, @builtin(instance_index) index: u32) -> AnchorVertex {
        let cameraFromModel = frame.cameraFromWorld * models[index];
        let place = cameraFromModel * vec4f(position, 1.0);
        return AnchorVertex(frame.clipFromCamera * place, place.xyz, (cameraFromModel * vec4f(normal, 0.0)).xyz, normal);
    }

    // Each side of a cube has its own colour, opposite ones are light and dark.
    fn faceColor(normal: vec3f) -> vec3f {
        let size = abs(normal);
        let weight = step(max(max(size.yzx, size.zxy), vec3f(1e-6)), size);
        let hue = mat3x3f(vec3f(0.93, 0.36, 0.31), vec3f(0.35, 0.75, 0.42), vec3f(0.29, 0.53, 0.92)) * (weight / max(dot(weight, vec3f(1.0)), 1.0));
        return hue * select(0.65, 1.0, dot(normal, weight) > 0.0);
    }

    // Ambient light, Lambert's cosine, and a highlight around the half vector (Blinn 1977).
    @fragment fn lit(in: AnchorVertex) -> @location(0) vec4f {
        let normal = normalize(in.normal);
        let toLight = -frame.light.xyz;
        let halfway = normalize(toLight - normalize(in.place));
        let diffuse = frame.directional.rgb * saturate(dot(normal, toLight));
        let highlight = frame.directional.rgb * pow(saturate(dot(normal, halfway)), frame.light.w);
        return vec4f(faceColor(in.face) * (frame.ambient.rgb + diffuse + highlight), 1.0);
    }
    """
