/// The light of an irradiance volume (`IrradianceVolume`, `VolumeTexture`) on a surface.
let irradianceVolumeShader = """
    #if !LIGHT_MAP
    @group(0) @binding(\(FrameBindings.irradianceVolume)) var irradianceVolume: texture_3d<f32>;

    struct VolumeLight {
        // The radiance of a white matte surface with the surface's normal, and with the reflected direction as its normal.
        diffuse: vec3f,
        mirrored: vec3f,
        // Whether the sky is visible in the reflected direction, blurred.
        sky: f32,
        // 1 in the box, 0 a probe's distance away from it.
        weight: f32,
    }

    // A coefficient of the harmonics; the texture contains one after the other along its depth.
    fn volumeCoefficient(uvw: vec3f, index: f32) -> vec4f {
        let p = vec3f(uvw.xy, (uvw.z + index) / 9.0);
        return textureSampleLevel(irradianceVolume, environmentSampler, p, 0.0);
    }

    fn volumeLight(s: Surface) -> VolumeLight {
        let counts = frame.volumeCounts.xyz;
        // A quarter of a cell off the surface: probes behind it count less.
        let uvw = s.position * frame.volumeScale.xyz + frame.volumeOffset.xyz + s.geometricNormal * (0.25 / counts);
        let outside = max(abs(uvw - 0.5) - 0.5, vec3f(0.0)) * counts;
        // Between the middles of the first and the last cells.
        let p = clamp(uvw, 0.5 / counts, 1.0 - 0.5 / counts);
        let n = s.normal;
        let d = reflect(-s.view, n);
        let c0 = volumeCoefficient(p, 0.0) * 0.2820948;
        var matte = c0;
        let y = volumeCoefficient(p, 1.0) * 0.4886025;
        let z = volumeCoefficient(p, 2.0) * 0.4886025;
        let x = volumeCoefficient(p, 3.0) * 0.4886025;
        let xy = volumeCoefficient(p, 4.0) * 1.0925484;
        let yz = volumeCoefficient(p, 5.0) * 1.0925484;
        let zz = volumeCoefficient(p, 6.0) * 0.3153916;
        let xz = volumeCoefficient(p, 7.0) * 1.0925484;
        let xx = volumeCoefficient(p, 8.0) * 0.5462742;
        matte += x * n.x + y * n.y + z * n.z;
        matte += xy * (n.x * n.y) + yz * (n.y * n.z) + zz * (3.0 * n.z * n.z - 1.0) + xz * (n.x * n.z) + xx * (n.x * n.x - n.y * n.y);
        let linear = x * d.x + y * d.y + z * d.z;
        let square = xy * (d.x * d.y) + yz * (d.y * d.z) + zz * (3.0 * d.z * d.z - 1.0) + xz * (d.x * d.z) + xx * (d.x * d.x - d.y * d.y);
        var v: VolumeLight;
        v.diffuse = max(matte.rgb, vec3f(0.0));
        v.mirrored = max(c0.rgb + linear.rgb + square.rgb, vec3f(0.0));
        // The visible share weighted by the cosine has 1, 2/3 and 1/4 of the bands of visibility itself. A few harmonics blur the edge of a window:
        // the curve is steepened.
        v.sky = smoothstep(0.2, 0.8, c0.w + linear.w * 1.5 + square.w * 4.0);
        v.weight = 1.0 - saturate(max(outside.x, max(outside.y, outside.z)));
        return v;
    }

    // The baked light. A reflection is the mean light around its direction, and where the sky is visible the difference of the environment from its
    // own mean.
    fn enclosedLight(s: Surface, r: Reflectance, v: VolumeLight) -> vec3f {
        let diffuse = v.diffuse * withBounces(s.occlusion, r.diffuse);
    #if PHYSICAL
        let nv = max(dot(s.normal, s.view), 1e-3);
        let reflected = reflect(-s.view, s.normal);
        let mean = environmentIrradiance(reflected) / PI;
        let detail = environmentSpecular(lobeMiddle(reflected, s.normal, s.roughness), s.roughness) - mean;
        let occlusion = horizon(reflected, s.geometricNormal) * specularOcclusion(nv, s.occlusion, s.roughness);
        let radiance = max(v.mirrored + detail * v.sky, vec3f(0.0)) * occlusion;
        return r.single * radiance + (r.multiple + r.diffuse) * diffuse;
    #else
        return r.diffuse * diffuse;
    #endif
    }
    #endif
    """
