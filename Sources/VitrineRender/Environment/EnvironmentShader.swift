import VitrineGPU
import VitrineMath

/// The bindings and WGSL functions with which a surface's shader reads an `EnvironmentMap`.
///
/// ```
/// let code = EnvironmentShader.code(group: 1, firstBinding: 0) + mySurface    // calls environmentSpecular(…)
/// let layout = try device.makeBindGroupLayout("light", EnvironmentShader.layoutEntries(firstBinding: 0))
/// let uniforms = try device.makeBuffer("light", size: EnvironmentUniforms.byteCount, usage: [.uniform, .copyDestination])
/// device.queue.write(value: map.uniforms(rotation: .degrees(30), intensity: 2), to: uniforms)
/// let group = try device.makeBindGroup("light", layout: layout, map.entries(firstBinding: 0, uniforms: uniforms))
/// ```
/// The bindings, from the first: uniforms, specular cube, irradiance cube, sky cube, sampler.
enum EnvironmentShader {
    /// The number of bindings.
    static let bindingCount = 5

    /// Returns the WGSL of the bindings and the functions, all of world-space directions, of any length except the sky's:
    /// - `environmentSpecular(direction: vec3f, roughness: f32) -> vec3f`: radiance of the GGX lobe around a reflection.
    /// - `environmentIrradiance(normal: vec3f) -> vec3f`: irradiance E; a white diffuse surface's radiance is E / π.
    /// - `environmentSky(direction: vec3f) -> vec3f`: radiance of the visible background, blurred where it is.
    /// - `environmentBackground(origin: vec3f, direction: vec3f) -> vec3f`: the same along a view ray, which may hit the ground.
    static func code(group: Int, firstBinding: Int) -> String {
        """
        \(EnvironmentUniforms.wgsl)
        @group(\(group)) @binding(\(firstBinding)) var<uniform> environment: EnvironmentUniforms;
        @group(\(group)) @binding(\(firstBinding + 1)) var environmentSpecularCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 2)) var environmentIrradianceCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 3)) var environmentSkyCube: texture_cube<f32>;
        @group(\(group)) @binding(\(firstBinding + 4)) var environmentSampler: sampler;

        // A direction in the environment's frame.
        fn environmentDirection(d: vec3f) -> vec3f {
            let r = environment.rotation;
            return vec3f(r.x * d.x - r.y * d.z, d.y, r.y * d.x + r.x * d.z);
        }

        // The mip level of the specular cube. Between two levels their lobes are mixed so that the far tail, which grows as the fourth power of
        // roughness, is correct: it forms the halo around bright lights, where a linear mix would be several times too bright.
        fn environmentLevel(roughness: f32) -> f32 {
            let ratio = roughness / environment.firstRoughness;
            if (ratio <= 1.0) { return ratio * ratio * ratio * ratio; }
            let level = 1.0 + environment.levelsPerOctave * log2(ratio);
            return floor(level) + (exp2(environment.tailGrowth * fract(level)) - 1.0) * environment.tailScale;
        }

        fn environmentSpecular(direction: vec3f, roughness: f32) -> vec3f {
            let d = environmentDirection(direction);
            return textureSampleLevel(environmentSpecularCube, environmentSampler, d, environmentLevel(roughness)).rgb * environment.intensity;
        }

        fn environmentIrradiance(normal: vec3f) -> vec3f {
            let d = environmentDirection(normal);
            return textureSampleLevel(environmentIrradianceCube, environmentSampler, d, 0.0).rgb * (environment.intensity * 3.14159265);
        }

        // The sky without blur and without ground projection.
        fn environmentSharpSky(direction: vec3f) -> vec3f {
            let d = environmentDirection(direction);
            return textureSampleLevel(environmentSkyCube, environmentSampler, d, 0.0).rgb * environment.skyIntensity;
        }

        fn environmentSky(direction: vec3f) -> vec3f {
            let d = environmentDirection(direction);
            let level = environment.sky.x;
            if (level <= 0.0) { return environmentSharpSky(direction); }
            // A coarse level shows its texels: several samples around the direction smooth them out.
            let side = normalize(cross(d, select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(d.x) > abs(d.y))));
            let up = cross(side, d);
            var sum = vec3f(0.0);
            var weights = 0.0;
            for (var i = 0; i < 24; i++) {
                let r = sqrt((f32(i) + 0.5) / 24.0);
                let angle = f32(i) * 2.3999632;
                let offset = (side * cos(angle) + up * sin(angle)) * (r * environment.sky.y);
                let weight = exp(-2.0 * r * r);
                sum += weight * textureSampleLevel(environmentSkyCube, environmentSampler, d + offset, level).rgb;
                weights += weight;
            }
            return sum * (environment.skyIntensity / weights);
        }

        // See GroundProjection.
        fn groundDirection(origin: vec3f, direction: vec3f) -> vec3f {
            let radius = environment.sky.z;
            let height = environment.ground.w;
            let above = origin - environment.ground.xyz;
            if (above.y > 0.0 && direction.y < 0.0) {
                let point = above - direction * (above.y / direction.y);
                if (dot(point.xz, point.xz) <= radius * radius - height * height) { return normalize(point - vec3f(0.0, height, 0.0)); }
            }
            let offset = above - vec3f(0.0, height, 0.0);
            let along = dot(offset, direction);
            let square = along * along - dot(offset, offset) + radius * radius;
            let distance = sqrt(max(square, 0.0)) - along;
            if (square < 0.0 || distance <= 0.0) { return direction; }
            return normalize(offset + direction * distance);
        }

        fn environmentBackground(origin: vec3f, direction: vec3f) -> vec3f {
            if (environment.sky.z <= 0.0) { return environmentSky(direction); }
            return environmentSky(groundDirection(origin, direction));
        }

        """
    }

    /// The bindings' layout; see `EnvironmentMap.entries`.
    static func layoutEntries(firstBinding first: Int, stages: GPUShaderStages = .fragment) -> [GPUBindGroupLayoutEntry] {
        [
            .uniformBuffer(first, stages, minSize: EnvironmentUniforms.byteCount),
            .texture(first + 1, stages, dimension: .cube),
            .texture(first + 2, stages, dimension: .cube),
            .texture(first + 3, stages, dimension: .cube),
            .sampler(first + 4, stages),
        ]
    }
}

/// The uniforms with which an environment lights a scene, beside its cubes.
struct EnvironmentUniforms: ShaderStructure {
    /// Cosine and sine of the environment's rotation in the world, about +Y, right-handed.
    var rotation: Vector2
    /// Factor on the light.
    var intensity: Float
    /// Factor on the visible sky.
    var skyIntensity: Float
    /// Roughness of the first filtered level.
    var firstRoughness: Float
    /// Mip levels per doubling of roughness.
    var levelsPerOctave: Float
    /// The binary logarithm of the growth of a lobe's far tail from one level to the next, and 1 / (the growth − 1).
    var tailGrowth, tailScale: Float
    /// Mip level of the sky's cube, width of its blur there (as a tangent), radius of the dome (0: infinitely far).
    var sky = Vector4(repeating: 0)
    /// The centre of the dome on the ground, and the height above it at which the image was taken.
    var ground = Vector4(repeating: 0)

    static let name = "EnvironmentUniforms"
    static let fields: [ShaderField<EnvironmentUniforms>] = [
        .init("rotation") { $0.rotation }, .init("intensity") { $0.intensity },
        .init("skyIntensity") { $0.skyIntensity }, .init("firstRoughness") { $0.firstRoughness },
        .init("levelsPerOctave") { $0.levelsPerOctave },
        .init("tailGrowth") { $0.tailGrowth }, .init("tailScale") { $0.tailScale }, .init("sky") { $0.sky }, .init("ground") { $0.ground },
    ]

    init(rotation: Angle, intensity: Float, skyIntensity: Float, firstRoughness: Float, levelsPerOctave: Float) {
        self.rotation = Vector2(cos(rotation.radians), sin(rotation.radians))
        self.intensity = intensity
        self.skyIntensity = skyIntensity
        self.firstRoughness = firstRoughness
        self.levelsPerOctave = levelsPerOctave
        tailGrowth = levelsPerOctave > 0 ? 4 / levelsPerOctave : 1
        tailScale = 1 / (exp2(tailGrowth) - 1)
    }
}

extension EnvironmentMap {
    /// The shader's uniforms.
    ///
    /// - Parameters:
    ///   - rotation: The rotation of the environment in the world, about +Y, right-handed.
    ///   - intensity: factor of light and sky.
    ///   - sky: The visible background if it is another image.
    func uniforms(rotation: Angle = .zero, intensity: Float = 1, sky: EnvironmentMap? = nil) -> EnvironmentUniforms {
        let first = Self.firstRoughness(faceSize: specular.width)
        return EnvironmentUniforms(
            rotation: rotation, intensity: intensity * scale, skyIntensity: intensity * (sky ?? self).scale,
            firstRoughness: first, levelsPerOctave: levelCount > 1 ? Float(levelCount - 2) / log2(1 / first) : 0)
    }

    /// The level of `specular` for a perceptual roughness, as in the shader's `environmentLevel`.
    func level(ofRoughness roughness: Float) -> Float {
        guard roughness > 0, levelCount > 2 else { return 0 }
        let first = Self.firstRoughness(faceSize: specular.width)
        let ratio = roughness / first
        if ratio <= 1 { return ratio * ratio * ratio * ratio }
        let perOctave = Float(levelCount - 2) / log2(1 / first)
        let level = 1 + perOctave * log2(ratio)
        let step = exp2(4 / perOctave)
        let whole = level.rounded(.down)
        return min(whole + (pow(step, level - whole) - 1) / (step - 1), Float(levelCount - 1))
    }

    /// `EnvironmentUniforms.sky` for a background of this blur, 0…1.
    func skyBlur(_ blur: Float) -> (level: Float, spread: Float) {
        let level = level(ofRoughness: blur)
        // One and a half texels.
        return (level, level > 0 ? 3 / Float(specular.width) * exp2(level) : 0)
    }

    /// The resources for `EnvironmentShader.layoutEntries`.
    ///
    /// - Parameters:
    ///   - uniforms: Contains `EnvironmentUniforms` at `offset`.
    ///   - sky: The visible background if it is another image.
    func entries(
        firstBinding first: Int, uniforms: GPUBuffer, offset: Int = 0, sky: EnvironmentMap? = nil
    ) -> [GPUBindGroupEntry] {
        [
            .buffer(first, uniforms, offset..<(offset + EnvironmentUniforms.byteCount)),
            .texture(first + 1, specularView),
            .texture(first + 2, irradianceView),
            .texture(first + 3, (sky ?? self).specularView),
            .sampler(first + 4, sampler),
        ]
    }
}
